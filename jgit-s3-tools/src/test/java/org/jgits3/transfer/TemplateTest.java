// SPDX-License-Identifier: Apache-2.0
package org.jgits3.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.jgits3.internal.fork.ForkFixture.MAIN;
import static org.jgits3.internal.fork.ForkFixture.SILENT;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.eclipse.jgit.errors.RepositoryNotFoundException;
import org.eclipse.jgit.lib.EmptyProgressMonitor;
import org.eclipse.jgit.lib.ProgressMonitor;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.storage.file.FileRepositoryBuilder;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.internal.commit.ManifestCommitter;
import org.jgits3.internal.commit.ManifestFile;
import org.jgits3.internal.commit.Proposal;
import org.jgits3.internal.fleet.Manifests;
import org.jgits3.internal.fork.ForkFixture;
import org.jgits3.internal.fork.ForkTestCase;
import org.jgits3.internal.function.IoConsumer;
import org.jgits3.maintenance.MaintenanceFixture;
import org.jgits3.maintenance.Sweep;
import org.jgits3.manifest.LiveObject;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.Refs;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.manifest.RepositoryState;
import org.jgits3.store.DelegatingObjectStore;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.Precondition;
import org.jgits3.store.PutOutcome;
import org.jgits3.testing.Holds;
import org.jgits3.testing.aid.ReaderClock;
import org.junit.jupiter.api.Test;

/** Templates that are made of repositories, and forks that are exported and restored. */
class TemplateTest extends ForkTestCase {
  private void template(String name, String template) throws IOException {
    template(name, template, SILENT);
  }

  private void template(String name, String template, ProgressMonitor monitor) throws IOException {
    try (ImportSource source = ImportSource.template(it.manager, RepositoryName.of(name))) {
      new Importer(it.manager, monitor).run(source, RepositoryName.of(template));
    }
  }

  @Test
  void a_template_has_its_own_objects_and_is_collected() throws Exception {
    template("r", "u");
    Manifest template = it.manifest("u");
    assertThat(template.isTemplate()).isTrue();
    assertThat(it.refs("u")).isEqualTo(it.refs("r"));
    assertThat(template.packs()).hasSize(1);
    assertThat(template.packs().get(0).files()).containsKeys("bitmap", "graph");
    it.deleteAndSweep("r");
    it.sweep("u");
    it.isSound("u");
    Set<String> listed =
        LiveObject.of(template).stream().map(LiveObject::key).collect(Collectors.toSet());
    assertThat(it.stored(template.repositoryId())).as("the rest is swept").isEqualTo(listed);
  }

  @Test
  void a_template_has_one_table_of_refs_and_nothing_to_fold() throws Exception {
    template("r", "u");
    Manifest template = it.manifest("u");
    assertThat(template.refs().overlay()).isEmpty();
    assertThat(template.refs().hasRecent()).isFalse();
    assertThat(template.log().tail()).isEmpty();
  }

  @Test
  void what_cannot_become_a_template_is_refused_in_one_line() throws Exception {
    it.fork("f");
    assertThatThrownBy(() -> template("f", "u"))
        .hasMessage("f is a fork; detach it first with jgit-s3 gc --detach, then make a template");
    assertThatThrownBy(() -> template("t", "u")).hasMessage("t is a template already; fork it");
    assertThatThrownBy(() -> template("r", "t")).isInstanceOf(ManifestException.Exists.class);
    assertThatThrownBy(() -> template("none", "u")).isInstanceOf(RepositoryNotFoundException.class);
    assertThat(it.manager.list()).containsExactlyInAnyOrder("r", "t", "f");
  }

  @Test
  void exports_and_restores_know_the_objects_of_the_template() throws Exception {
    it.fork("f");
    Manifest copy = it.manifest("f");
    List<String> before = it.refs("f");
    Path out = directory.resolve("out");
    try (S3Repository f = it.manager.openRepository("f")) {
      new Exporter(SILENT).run(f, out);
      TestRepositories.delete(f, MAIN);
    }
    try (Repository exported =
        new FileRepositoryBuilder().setGitDir(out.toFile()).setMustExist(true).build()) {
      assertThat(TestRepositories.refs(exported)).isEqualTo(before);
    }
    RepositoryName name = RepositoryName.of("f");
    assertThat(new Restorer(it.manager, SILENT).plan(name, copy).packs()).isZero();
    new Restorer(it.manager, SILENT).run(name, copy);
    assertThat(it.refs("f")).isEqualTo(before);
    it.manager.createRepository("g").close();
    new Restorer(it.manager, SILENT).run(RepositoryName.of("g"), copy);
    assertThat(it.refs("g")).isEqualTo(before);
    it.isSound("g");
    assertThat(it.manifest("g").template()).isEmpty();
  }

  /** Does something once to the repository that becomes a template, while it is collected. */
  private final class Meddling extends EmptyProgressMonitor {
    private final IoConsumer<String> step;
    private boolean done;

    /**
     * Creates a monitor.
     *
     * @param step takes the id of the repository
     */
    Meddling(IoConsumer<String> step) {
      this.step = step;
    }

    @Override
    public void beginTask(String title, int total) {
      try {
        Optional<Manifest> made = importing().filter(each -> !each.packs().isEmpty());
        if (!done && made.isPresent()) {
          done = true;
          step.accept(made.get().repositoryId());
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** The repository that an import is filling. */
  private Optional<Manifest> importing() throws IOException {
    List<Manifest> found = new ArrayList<>();
    Manifests.readAll(it.store, true, found::add);
    return found.stream()
        .filter(each -> each.state() instanceof RepositoryState.Importing)
        .findFirst();
  }

  @Holds(
      "ListingRules, S3RepositoryManager, TemplateSource: A template is never written. A push to "
          + "one in the making is in no template. (K5, K13)")
  @Test
  void K13_a_push_to_a_template_in_the_making_is_in_no_template() throws Exception {
    Meddling pushes =
        new Meddling(
            id -> {
              ManifestFile file = new ManifestFile(it.another(), id, Optional.empty());
              try (ManifestCommitter other =
                  new ManifestCommitter(file, ManifestCommitter.DEADLINE)) {
                other.<Boolean>commit(
                    base -> {
                      TreeMap<String, String> symrefs = new TreeMap<>(base.refs().symrefs());
                      symrefs.put("refs/heads/theirs", ForkFixture.MAIN);
                      Refs refs = base.refs().with(base.refs().overlay(), symrefs);
                      return Proposal.edit(base.withRefs(refs), true);
                    });
              }
            });
    assertThatThrownBy(() -> template("r", "u", pushes))
        .hasMessageContaining("was changed by others while it was made");
    assertThat(pushes.done).isTrue();
    assertThat(it.manager.list()).containsExactlyInAnyOrder("r", "t");
  }

  @Test
  void K13_a_template_in_the_making_that_others_name_is_none() throws Exception {
    Meddling names = new Meddling(id -> it.manager.renameById(id, "theirs"));
    assertThatThrownBy(() -> template("r", "u", names)).isInstanceOf(IOException.class);
    assertThat(names.done).isTrue();
    assertThat(it.manager.list()).containsExactlyInAnyOrder("r", "t", "theirs");
    assertThat(it.manifest("theirs").isTemplate()).isFalse();
  }

  /** The end of a process that is killed, which it cannot catch. */
  private static final class Killed extends Error {
    private static final long serialVersionUID = 1;
  }

  /**
   * Makes a template in a process that is killed at a write; returns false if it is over before.
   */
  private boolean makeAndDie(String template, int writes) throws Exception {
    AtomicInteger left = new AtomicInteger(writes);
    ObjectStore dying =
        new DelegatingObjectStore(it.another()) {
          @Override
          public PutOutcome putIf(String key, byte[] body, Precondition condition)
              throws IOException {
            if (left.getAndDecrement() <= 0) {
              throw new Killed();
            }
            return super.putIf(key, body, condition);
          }
        };
    try (S3RepositoryManager manager = MaintenanceFixture.manager(dying);
        ImportSource source = ImportSource.template(manager, RepositoryName.of("r"))) {
      new Importer(manager, SILENT).run(source, RepositoryName.of(template));
    } catch (Killed | IOException e) {
      assertThat(left.get()).isNegative();
    }
    return left.get() < 0;
  }

  /** Sweeps a repository that an import has left, a week later. */
  private Sweep.Report sweepAfterAWeek(String repositoryId) throws Exception {
    Instant later = Instant.now().plus(Duration.ofDays(8));
    return ReaderClock.at(() -> later, () -> it.sweepById(repositoryId));
  }

  @Test
  void a_template_killed_at_any_write_of_its_making_has_no_name_and_is_swept() throws Exception {
    Set<Boolean> frozen = new HashSet<>();
    for (int writes = 0; makeAndDie("u", writes); writes++) {
      assertThatThrownBy(() -> it.manager.openRepository("u"))
          .as("after %d writes", writes)
          .isInstanceOf(RepositoryNotFoundException.class);
      Optional<Manifest> left = importing();
      if (left.isPresent()) {
        frozen.add(left.get().isTemplate());
        sweepAfterAWeek(left.get().repositoryId());
        assertThat(it.stored(left.get().repositoryId())).isEmpty();
        assertThat(importing()).isEmpty();
      }
    }
    assertThat(frozen).containsExactlyInAnyOrder(false, true);
    it.manager.fork("u", "f").close();
    it.isSound("f");
  }
}
