// SPDX-License-Identifier: Apache-2.0
package org.jgits3.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.internal.commit.StoredManifest;
import org.jgits3.maintenance.UpToDate;
import org.jgits3.manifest.LiveObject;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.store.DelegatingObjectStore;
import org.jgits3.store.MultipartUpload;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.StagedStore;
import org.jgits3.store.StoreContent;
import org.jgits3.testing.Holds;
import org.junit.jupiter.api.Test;

/** A pass of sweeps leaves out what has nothing that waits to be deleted, and nothing else. */
@Holds(
    "Sweep: A pass skips only repositories whose manifest has a version on which the work ended "
        + "and left nothing (S1, S2, S8, S8b)")
class FleetSweepTest extends FleetFixture {
  private static final Duration DAY = Duration.ofDays(1);

  private void collect(String name) throws IOException {
    users.maintenance(name).collectGarbage(NullProgressMonitor.INSTANCE);
  }

  /** Leaves packs that are listed no more. */
  private void replacePacks(String name) throws IOException {
    push(name, MAIN);
    push(name, MAIN);
    collect(name);
    assertThat(unlisted(name)).isNotEmpty();
  }

  private Set<String> stored(String repositoryId) throws IOException {
    Set<String> keys = new TreeSet<>(StoreContent.keys(store, ObjectNames.prefix(repositoryId)));
    keys.removeIf(key -> ObjectNames.mintedAtOf(key).isEmpty() || key.contains("/sweep/"));
    return keys;
  }

  private Set<String> unlisted(String name) throws IOException {
    Set<String> keys = stored(id(name));
    Manifest manifest = StoredManifest.read(store, name);
    keys.removeAll(
        LiveObject.of(manifest).stream().map(LiveObject::key).collect(Collectors.toSet()));
    return keys;
  }

  /** Sweeps what a pass gives; returns the names, {@code -} for a repository without one. */
  private List<String> sweepAll(S3RepositoryManager manager, Duration grace) throws IOException {
    return sweepAll(manager, new Fleet(manager).sweepPass(false), grace);
  }

  private List<String> sweepAll(S3RepositoryManager manager, FleetPass pass, Duration grace)
      throws IOException {
    List<String> swept = new ArrayList<>();
    for (var id = pass.next(); id.isPresent(); id = pass.next()) {
      pass.done(id.get(), manager.sweepById(id.get(), grace, false).upToDate());
      swept.add(label(id.get()));
    }
    pass.save();
    Collections.sort(swept);
    return swept;
  }

  private String label(String repositoryId) throws IOException {
    return users.nameOf(repositoryId).orElse("-");
  }

  /** As {@link #sweepAll}, without a sweep. */
  private List<String> due() throws IOException {
    List<String> names = new ArrayList<>();
    for (String id : ids(new Fleet(maintainer).sweepPass(false))) {
      names.add(label(id));
    }
    Collections.sort(names);
    return names;
  }

  @Test
  void idle_repositories_cost_a_listing_the_state_and_a_listing_of_uploads() throws Exception {
    create("a", "b/c", "d", "gone");
    users.delete("gone");
    users.rename("d", "e");
    assertThat(sweepAll(maintainer, Duration.ZERO)).containsExactly("-", "a", "b/c", "e");
    var before = counts.snapshot();
    assertThat(sweepAll(maintainer, Duration.ZERO)).isEmpty();
    assertThat(counts.snapshot().since(before))
        .hasToString("3 requests: 1 GET, 1 LIST_MULTIPART, 1 LIST");
  }

  @Test
  void repository_that_changed_is_swept_again_and_no_other_is_asked() throws Exception {
    create("a", "b", "c");
    sweepAll(maintainer, DAY);
    push("b", MAIN);
    var before = counts.snapshot();
    assertThat(due()).containsExactly("b");
    assertThat(counts.snapshot().since(before))
        .hasToString("3 requests: 1 GET, 1 LIST_MULTIPART, 1 LIST");
  }

  @Test
  void S8_object_that_waits_is_visited_until_it_is_gone() throws Exception {
    create("a", "b");
    replacePacks("a");
    sweepAll(maintainer, DAY);
    for (int i = 0; i < 3; i++) {
      assertThat(unlisted("a")).isNotEmpty();
      assertThat(sweepAll(maintainer, DAY)).containsExactly("a");
    }
    sweepAll(maintainer, Duration.ZERO);
    assertThat(unlisted("a")).isEmpty();
    assertThat(due()).isEmpty();
  }

  @Test
  void S8_object_of_a_process_that_died_is_visited_until_it_is_gone() throws Exception {
    create("a");
    Manifest manifest = StoredManifest.read(store, "a");
    String id = ObjectNames.mint(manifest);
    store.put(ObjectNames.packKey(manifest.repositoryId(), id, "pack"), new byte[9], 0, 9);
    sweepAll(maintainer, DAY);
    assertThat(due()).containsExactly("a");
    sweepAll(maintainer, Duration.ZERO);
    sweepAll(maintainer, Duration.ZERO);
    assertThat(unlisted("a")).isEmpty();
    assertThat(due()).isEmpty();
  }

  @Test
  void S8b_collection_between_boundary_and_listing_is_not_taken_for_swept() throws Exception {
    create("a");
    push("a", MAIN);
    String prefix = ObjectNames.prefix(StoredManifest.read(store, "a").repositoryId());
    StagedStore staged = new StagedStore(store);
    staged.beforeList(prefix, () -> collect("a"));
    try (S3RepositoryManager late = TestRepositories.manager(staged)) {
      sweepAll(late, DAY);
    }
    assertThat(unlisted("a")).isNotEmpty();
    assertThat(due()).containsExactly("a");
  }

  @Test
  void repository_with_an_unfinished_upload_is_swept_again() throws Exception {
    create("a", "b");
    sweepAll(maintainer, DAY);
    Manifest manifest = StoredManifest.read(store, "b");
    List<MultipartUpload> uploads = new ArrayList<>();
    ObjectStore uploading =
        new DelegatingObjectStore(store) {
          @Override
          public List<MultipartUpload> listMultipart(String prefix) {
            return uploads.stream().filter(u -> u.key().startsWith(prefix)).toList();
          }

          @Override
          public void abortMultipart(MultipartUpload upload) {
            uploads.remove(upload);
          }
        };
    String key = ObjectNames.packKey(manifest.repositoryId(), ObjectNames.mint(manifest), "pack");
    uploads.add(new MultipartUpload(key, "u", Map.of()));
    uploads.add(new MultipartUpload("objects/0/pack/else", "u", Map.of()));
    try (S3RepositoryManager manager = TestRepositories.manager(uploading)) {
      assertThat(sweepAll(manager, DAY)).containsExactly("b");
      assertThat(sweepAll(manager, DAY)).containsExactly("b"); // it may still be under way
      sweepAll(manager, Duration.ZERO);
      sweepAll(manager, Duration.ZERO);
      assertThat(uploads).hasSize(1);
      assertThat(sweepAll(manager, DAY)).isEmpty();
    }
  }

  @Test
  void deleted_repository_is_visited_until_nothing_of_it_is_left() throws Exception {
    create("a");
    String id = id("a");
    sweepAll(maintainer, DAY);
    users.delete("a");
    sweepAll(maintainer, DAY);
    assertThat(stored(id)).isNotEmpty();
    assertThat(sweepAll(maintainer, DAY)).containsExactly("-");
    sweepAll(maintainer, Duration.ZERO);
    assertThat(stored(id)).isEmpty();
    assertThat(due()).isEmpty();
  }

  @Test
  void deleted_repository_of_a_used_name_is_visited_until_nothing_is_left() throws Exception {
    create("a");
    String former = id("a");
    users.delete("a");
    create("a");
    sweepAll(maintainer, DAY);
    assertThat(sweepAll(maintainer, DAY)).containsExactly("-");
    sweepAll(maintainer, Duration.ZERO);
    List<String> left = StoreContent.keys(store, ObjectNames.prefix(former));
    assertThat(left).isEmpty();
    assertThat(due()).isEmpty();
  }

  @Test
  void repository_that_is_renamed_during_a_pass_is_swept() throws Exception {
    create("a");
    replacePacks("a");
    FleetPass pass = new Fleet(maintainer).sweepPass(false);
    users.rename("a", "b");
    assertThat(sweepAll(maintainer, pass, Duration.ZERO)).containsExactly("b");
    sweepAll(maintainer, Duration.ZERO);
    assertThat(unlisted("b")).isEmpty();
    assertThat(due()).isEmpty();
  }

  @Test
  void S4_two_sweeps_at_once_keep_what_the_other_has_done() throws Exception {
    create("a", "b");
    FleetPass one = new Fleet(maintainer).sweepPass(false);
    FleetPass other = new Fleet(maintainer).sweepPass(false);
    one.done(id("a"), upToDate("a"));
    one.save();
    other.done(id("b"), upToDate("b"));
    other.save();
    assertThat(due()).isEmpty();
  }

  private Optional<UpToDate> upToDate(String name) throws IOException {
    return maintainer.sweepById(id(name), DAY, false).upToDate();
  }

  @Test
  void dry_run_claims_nothing() throws Exception {
    create("a");
    assertThat(maintainer.sweepById(id("a"), DAY, true).upToDate()).isEmpty();
  }
}
