// SPDX-License-Identifier: Apache-2.0
package org.jgits3.fleet;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.eclipse.jgit.lib.ProgressMonitor;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.internal.store.file.DirectoryObjectStore;
import org.jgits3.maintenance.UpToDate;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.store.DelegatingObjectStore;
import org.jgits3.store.ListedObject;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.Precondition;
import org.jgits3.store.StoreContent;
import org.jgits3.testing.ForkedJvm;
import org.jgits3.testing.Holds;
import org.jgits3.testing.aid.AtFirstTask;
import org.jgits3.verify.Verification;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A pass over all repositories leaves out what a pass has done, and nothing else. */
@Holds(
    "FleetPass, Claims, GarbageCollection: A pass skips only repositories whose manifest has a "
        + "version on which the work ended and left nothing (S1, S2, S8, S8b)")
@Holds(
    "FleetPass: A killed pass resumes after its last saved step. Passes at once keep each other's "
        + "work. (S2, S4)")
class FleetPassTest extends FleetFixture {

  private static final String STATE = "scan/gc";
  private static final FleetPass.Options GC = new FleetPass.Options("gc", "", true, false, false);

  @TempDir Path scratch;

  /** Names of the repositories that a pass gives. */
  private List<String> names(FleetPass pass) throws IOException {
    List<String> names = new ArrayList<>();
    for (String id : ids(pass)) {
      names.add(users.nameOf(id).orElseThrow());
    }
    return names;
  }

  /** Names of the repositories that a pass gives, none of which is worked on. */
  private List<String> due() throws IOException {
    return names(new Fleet(maintainer).collectionPass(false));
  }

  private Optional<UpToDate> collect(String name, ProgressMonitor monitor) throws IOException {
    return maintainer.maintenance(name).collectGarbage(monitor).upToDate();
  }

  /** Collects what a pass gives; returns it. */
  private List<String> collectAll(FleetPass pass) throws IOException {
    List<String> collected = new ArrayList<>();
    for (var id = pass.next(); id.isPresent(); id = pass.next()) {
      String name = users.nameOf(id.get()).orElseThrow();
      pass.done(id.get(), collect(name, NullProgressMonitor.INSTANCE));
      collected.add(name);
    }
    pass.save();
    return collected;
  }

  @Test
  void idle_repositories_cost_a_listing_and_the_state() throws Exception {
    create("a", "b/c", "d");
    assertThat(collectAll(new Fleet(maintainer).collectionPass(false)))
        .containsExactlyInAnyOrder("a", "b/c", "d");
    var before = counts.snapshot();
    assertThat(collectAll(new Fleet(maintainer).collectionPass(false))).isEmpty();
    assertThat(counts.snapshot().since(before)).hasToString("2 requests: 1 GET, 1 LIST");
  }

  @Test
  void repository_that_changed_is_given_again() throws Exception {
    create("a", "b");
    collectAll(new Fleet(maintainer).collectionPass(false));
    push("b", MAIN);
    create("c");
    assertThat(collectAll(new Fleet(maintainer).collectionPass(false)))
        .containsExactlyInAnyOrder("b", "c");
    assertThat(due()).isEmpty();
  }

  @Test
  void repository_that_failed_is_given_again() throws Exception {
    create("a", "b");
    FleetPass pass = new Fleet(maintainer).collectionPass(false);
    assertThat(names(pass)).containsExactlyInAnyOrder("a", "b");
    pass.done(id("a"), collect("a", NullProgressMonitor.INSTANCE));
    pass.done(id("b"), Optional.empty());
    pass.save();
    assertThat(due()).containsExactly("b");
  }

  @Test
  void S1_push_during_a_collection_is_not_taken_for_collected() throws Exception {
    create("a");
    FleetPass pass = new Fleet(maintainer).collectionPass(false);
    assertThat(pass.next()).contains(id("a"));
    pass.done(id("a"), collect("a", new AtFirstTask(() -> push("a", "refs/heads/other"))));
    pass.save();
    assertThat(due()).containsExactly("a");
  }

  @Test
  void S1_ref_that_is_deleted_during_a_collection_is_not_taken_for_collected() throws Exception {
    create("a");
    push("a", "refs/heads/other");
    FleetPass pass = new Fleet(maintainer).collectionPass(false);
    assertThat(pass.next()).contains(id("a"));
    pass.done(id("a"), collect("a", new AtFirstTask(() -> delete("a", "refs/heads/other"))));
    pass.save();
    assertThat(due()).containsExactly("a");
  }

  private void delete(String name, String ref) throws IOException {
    try (S3Repository repository = users.openRepository(name)) {
      TestRepositories.delete(repository, ref);
    }
  }

  @Holds(
      "FleetPass, GarbageExpiry: A repository is visited when its garbage expires, and all are "
          + "after a change of settings (S3)")
  @Test
  void garbage_that_expires_is_something_to_do_though_nothing_changed() throws Exception {
    create("a");
    push("a", "refs/heads/gone");
    delete("a", "refs/heads/gone");
    collectAll(FleetPass.begin(store, GC, Instant::now));
    assertThat(names(FleetPass.begin(store, GC, Instant::now))).isEmpty();
    Instant later = Instant.now().plus(Duration.ofDays(15)); // gc.pruneExpire is two weeks
    assertThat(names(FleetPass.begin(store, GC, () -> later))).containsExactly("a");
  }

  @Test
  void other_settings_of_collections_reach_all() throws Exception {
    create("a", "b");
    collectAll(new Fleet(maintainer).collectionPass(false));
    try (S3RepositoryManager other =
        TestRepositories.manager(store, "[gc]\npruneExpire = 1.day.ago")) {
      assertThat(names(new Fleet(other).collectionPass(false))).containsExactlyInAnyOrder("a", "b");
    }
  }

  @Test
  void pass_over_all_gives_what_was_done_too() throws Exception {
    create("a", "b");
    collectAll(new Fleet(maintainer).collectionPass(false));
    assertThat(names(new Fleet(maintainer).collectionPass(true)))
        .containsExactlyInAnyOrder("a", "b");
  }

  @Test
  void S4_two_passes_at_once_keep_what_the_other_has_done() throws Exception {
    create("a", "b");
    FleetPass one = new Fleet(maintainer).collectionPass(false);
    FleetPass other = new Fleet(maintainer).collectionPass(false);
    one.done(id("a"), collect("a", NullProgressMonitor.INSTANCE));
    one.save();
    other.done(id("b"), collect("b", NullProgressMonitor.INSTANCE));
    other.save();
    assertThat(due()).isEmpty();
  }

  @Test
  void name_that_is_deleted_and_used_again_is_given_again() throws Exception {
    create("a");
    collectAll(new Fleet(maintainer).collectionPass(false));
    users.delete("a");
    assertThat(due()).isEmpty();
    create("a");
    assertThat(due()).containsExactly("a");
  }

  @Test
  void lost_state_is_a_pass_over_all() throws Exception {
    create("a", "b");
    collectAll(new Fleet(maintainer).collectionPass(false));
    store.delete(List.of(STATE));
    assertThat(collectAll(new Fleet(maintainer).collectionPass(false)))
        .containsExactlyInAnyOrder("a", "b");
    assertThat(due()).isEmpty();
  }

  @Holds(
      "ScanState: A state that is damaged, or of another store, kind or version, is reported and "
          + "not overwritten")
  @Test
  void damaged_state_is_told_and_kept() throws Exception {
    create("a");
    collectAll(new Fleet(maintainer).collectionPass(false));
    byte[] damaged = state();
    damaged[damaged.length / 2] ^= 1;
    isRefused(damaged, "is a damaged scan state: its checksum is wrong");
  }

  @Test
  void state_of_another_version_is_told_and_kept() throws Exception {
    isRefused(
        "jgit-s3 scan state 0\nxxxxxxxx".getBytes(US_ASCII),
        "is a scan state of another version than 1");
    isRefused("something else".getBytes(US_ASCII), "is no scan state of jgit-s3");
  }

  @Test
  void state_of_another_store_or_kind_is_told_and_kept() throws Exception {
    ObjectStore other = new DirectoryObjectStore(scratch);
    new ScanState(other.location(), "gc", "", ScanState.NO_CLAIMS).replace(other, Optional.empty());
    isRefused(state(other), "is the scan state of gc of the store " + other.location());
    new ScanState(store.location(), "sweep", "", ScanState.NO_CLAIMS)
        .replace(store, Optional.empty());
    byte[] swept = StoreContent.bytes(store, "scan/sweep");
    isRefused(swept, "is the scan state of sweep of the store");
  }

  @Test
  void repository_that_is_not_sound_is_given_again() throws Exception {
    create("a", "b");
    List<String> objects = StoreContent.keys(store, ObjectNames.prefix(id("a")));
    store.put(objects.get(0), new byte[1], 0, 1);
    FleetPass pass = new Fleet(maintainer).verificationPass(true);
    for (var id = pass.next(); id.isPresent(); id = pass.next()) {
      String name = users.nameOf(id.get()).orElseThrow();
      pass.done(
          id.get(),
          new Verification(maintainer, NullProgressMonitor.INSTANCE).run(name).upToDate());
    }
    pass.save();
    assertThat(names(new Fleet(maintainer).verificationPass(false))).containsExactly("a");
    assertThat(names(new Fleet(maintainer).verificationPass(true)))
        .containsExactlyInAnyOrder("a", "b");
  }

  private void isRefused(byte[] bytes, String why) throws IOException {
    store.put(STATE, bytes, 0, bytes.length);
    assertThatThrownBy(() -> new Fleet(maintainer).collectionPass(false))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(STATE + ": " + why)
        .hasMessageEndingWith("; delete it for a pass over all repositories");
    assertThat(state()).isEqualTo(bytes);
  }

  private byte[] state() throws IOException {
    return state(store);
  }

  private static byte[] state(ObjectStore of) throws IOException {
    return StoreContent.bytes(of, STATE);
  }

  @Test
  void state_that_is_damaged_during_a_pass_is_not_overwritten() throws Exception {
    create("a");
    FleetPass pass = new Fleet(maintainer).collectionPass(false);
    pass.done(id("a"), collect("a", NullProgressMonitor.INSTANCE));
    byte[] damaged = "jgit-s3 scan state 1\ndamaged".getBytes(US_ASCII);
    store.putIf(STATE, damaged, Precondition.absent());
    assertThatThrownBy(pass::save).hasMessageContaining("damaged");
    pass.close();
    assertThat(Arrays.equals(state(), damaged)).isTrue();
  }

  @Test
  void claims_are_kept_in_whatever_order_ids_are_listed() throws Exception {
    create("a", "b", "c");
    for (int first = 0; first < 3; first++) {
      int rotated = first;
      ObjectStore unordered =
          new DelegatingObjectStore(store) {
            @Override
            public void list(String prefix, Consumer<ListedObject> each) throws IOException {
              List<ListedObject> all = new ArrayList<>();
              super.list(prefix, all::add);
              Collections.rotate(all, rotated);
              Collections.reverse(all);
              all.forEach(each);
            }
          };
      try (FleetPass pass = FleetPass.begin(unordered, GC, Instant::now)) {
        assertThat(collectAll(pass)).hasSize(first == 0 ? 3 : 0);
        pass.done(id("b"), collect("b", NullProgressMonitor.INSTANCE));
      }
    }
  }

  @Test
  void S2_pass_that_is_killed_goes_on_after_what_it_saved() throws Exception {
    int all = 300;
    try (S3RepositoryManager manager = TestRepositories.manager(scratch)) {
      for (int i = 0; i < all; i++) {
        manager.createRepository("r" + (1000 + i)).close();
      }
      String last = ForkedJvm.run(List.of(), Killed.class, scratch.toString());
      List<String> left = ids(new Fleet(manager).collectionPass(false));
      assertThat(left).hasSize(all - FleetPass.STEP).contains(last);
    }
  }

  @Test
  void repository_that_ends_the_process_keeps_no_other_from_its_turn() throws Exception {
    create("a", "b", "killer", "x", "y", "z");
    for (int seed = 1; names(FleetPass.begin(store, GC, Instant::now)).size() > 1; seed++) {
      assertThat(seed).as("passes").isLessThan(50);
      FleetPass pass = FleetPass.begin(store, GC, Instant::now, new SplittableRandom(seed));
      String killer = id("killer");
      for (var id = pass.next(); !id.equals(Optional.of(killer)); id = pass.next()) {
        String name = users.nameOf(id.orElseThrow()).orElseThrow();
        pass.done(id.get(), collect(name, NullProgressMonitor.INSTANCE));
        pass.save();
      }
    }
    assertThat(names(FleetPass.begin(store, GC, Instant::now))).containsExactly("killer");
  }

  /** A pass that ends as by kill -9 in the work on a repository. */
  static final class Killed {
    private Killed() {}

    public static void main(String[] args) throws Exception {
      S3RepositoryManager manager = TestRepositories.manager(Path.of(args[0]));
      FleetPass pass = new Fleet(manager).collectionPass(false);
      for (var id = pass.next(); id.isPresent(); id = pass.next()) {
        String name = manager.nameOf(id.get()).orElseThrow();
        Optional<UpToDate> upToDate =
            manager.maintenance(name).collectGarbage(NullProgressMonitor.INSTANCE).upToDate();
        if (pass.given() > FleetPass.STEP + 10) {
          System.out.println(id.get());
          System.out.flush();
          Runtime.getRuntime().halt(137);
        }
        pass.done(id.get(), upToDate);
      }
    }
  }
}
