// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.fork;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.jgits3.internal.fork.ForkFixture.SILENT;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.eclipse.jgit.lib.EmptyProgressMonitor;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.internal.catalog.RepositoryCatalog;
import org.jgits3.internal.commit.CommitPolicy;
import org.jgits3.internal.commit.ManifestCommitter;
import org.jgits3.internal.commit.Proposal;
import org.jgits3.internal.function.IoRunnable;
import org.jgits3.internal.store.metrics.ObservedObjectStore;
import org.jgits3.internal.store.metrics.RequestCounts;
import org.jgits3.maintenance.MaintenanceFixture;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.Refs;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.manifest.UnknownOutcomeException;
import org.jgits3.store.DelegatingObjectStore;
import org.jgits3.store.GetResult;
import org.jgits3.store.ObjectVersion;
import org.jgits3.store.Precondition;
import org.jgits3.store.PutOutcome;
import org.jgits3.store.StoreException;
import org.junit.jupiter.api.Test;

/** Forks, deletions, renames and sweeps by several processes: the cases of the model. */
class ForkInterleavingTest extends ForkTestCase {
  /** A store of another process, in which something happens at one of its requests, once. */
  private class Staged extends DelegatingObjectStore {
    private final String key;
    private final AtomicReference<IoRunnable> beforePut = new AtomicReference<>();
    private final AtomicReference<IoRunnable> beforeGet = new AtomicReference<>();

    Staged(String name) throws IOException {
      super(it.another());
      this.key = RepositoryName.of(name).manifestKey();
    }

    void whenRead(IoRunnable step) {
      beforeGet.set(step);
    }

    private void run(AtomicReference<IoRunnable> step, String at) throws IOException {
      IoRunnable next = at.equals(key) ? step.getAndSet(null) : null;
      if (next != null) {
        next.run();
      }
    }

    @Override
    public PutOutcome putIf(String at, byte[] body, Precondition condition) throws IOException {
      run(beforePut, at);
      return super.putIf(at, body, condition);
    }

    @Override
    public GetResult get(String at, Optional<ObjectVersion> known) throws IOException {
      run(beforeGet, at);
      return super.get(at, known);
    }
  }

  private void tombstone(String name) throws IOException {
    new RepositoryCatalog(it.store, new CommitPolicy(Duration.ofMinutes(1)))
        .delete(RepositoryName.of(name));
  }

  @Test
  void K1_K2_a_fork_whose_template_was_deleted_before_its_write_is_deleted_again()
      throws Exception {
    Staged store = new Staged("f");
    String template = it.templateId();
    try (S3RepositoryManager other = MaintenanceFixture.manager(store)) {
      other.openRepository("t").close();
      store.beforePut.set(
          () -> {
            it.manager.delete("t");
            it.sweep("t");
          });
      assertThatThrownBy(() -> other.fork("t", "f"))
          .isInstanceOf(ManifestException.Gone.class)
          .hasMessageContaining("t.git/manifest: the repository was deleted");
    }
    assertThat(it.stored(template)).isEmpty();
    assertThat(it.manager.list()).containsExactly("r");
    it.manager.createRepository("f").close();
  }

  @Test
  void K3_K10_a_deleted_template_is_not_swept_while_it_has_a_fork() throws Exception {
    it.fork("f");
    String template = it.templateId();
    tombstone("t"); // by a process that found no fork before
    assertThat(it.manager.nameIndex().contradictions()).isEmpty();
    var report = it.manager.sweep("t", Duration.ZERO, false).orElseThrow();
    assertThat(report.fork()).contains("f");
    assertThat(report.settled()).as("to be searched again").isEmpty();
    it.isSound("f");
    it.manager.rename("f", "g");
    assertThat(it.manager.sweep("t", Duration.ZERO, false).orElseThrow().fork()).contains("g");
    it.isSound("g");
    it.manager.delete("g");
    it.sweep("g");
    assertThat(it.manager.sweep("t", Duration.ZERO, false).orElseThrow().fork()).isEmpty();
    assertThat(it.stored(template)).isEmpty();
  }

  @Test
  void K4_a_pass_of_sweeps_looks_for_forks_that_came_after_it_began() throws Exception {
    var pass = it.manager.sweepPass(true);
    it.fork("f");
    tombstone("t");
    for (var name = pass.next(); name.isPresent(); name = pass.next()) {
      it.manager.sweep(pass.nameIndex(), name.get(), Duration.ZERO, false);
    }
    it.isSound("f");
  }

  /** Makes a fork in another process, whose look at the template meets a step first. */
  private void forks(String name, IoRunnable beforeLook) throws Exception {
    Staged store =
        new Staged("t") {
          @Override
          public PutOutcome putIf(String at, byte[] body, Precondition condition)
              throws IOException {
            if (at.contains("/" + name + ".git/")) {
              whenRead(beforeLook);
            }
            return super.putIf(at, body, condition);
          }
        };
    try (S3RepositoryManager other = MaintenanceFixture.manager(store)) {
      other.openRepository("t").close();
      other.fork("t", name).close();
    }
  }

  @Test
  void it_is_not_known_whether_a_fork_is_whole_that_could_not_look_at_its_template()
      throws Exception {
    StoreException.Refused refused = new StoreException.Refused("x", "the store is closed", null);
    assertThatThrownBy(
            () ->
                forks(
                    "f",
                    () -> {
                      it.push("f"); // by another process that sees it already
                      throw refused;
                    }))
        .isInstanceOf(UnknownOutcomeException.class)
        .hasMessage(
            "the store is closed; if there is a fork f, it is whole if its template t, of id "
                + it.templateId()
                + ", can still be opened, by whatever name it has then; else delete it")
        .hasRootCause(refused);
    assertThat(it.refs("f")).hasSize(2);
    it.isSound("f");
  }

  @Test
  void a_fork_whose_template_was_renamed_meanwhile_is_not_deleted() throws Exception {
    assertThatThrownBy(() -> forks("f", () -> it.manager.rename("t", "u")))
        .isInstanceOf(UnknownOutcomeException.class);
    assertThat(it.manager.list()).containsExactlyInAnyOrder("r", "u", "f");
    it.isSound("f");
  }

  @Test
  void a_fork_that_others_have_pushed_to_is_not_deleted() throws Exception {
    assertThatThrownBy(
            () ->
                forks(
                    "f",
                    () -> {
                      it.push("f");
                      tombstone("t");
                    }))
        .isInstanceOf(UnknownOutcomeException.class);
    assertThat(it.refs("f")).hasSize(2);
    it.sweep("t");
    it.isSound("f");
  }

  @Test
  void a_repository_that_has_taken_the_name_of_a_fork_is_not_deleted_for_it() throws Exception {
    assertThatThrownBy(
            () ->
                forks(
                    "f",
                    () -> {
                      it.manager.delete("f");
                      it.manager.createRepository("f").close();
                      tombstone("t");
                    }))
        .isInstanceOf(ManifestException.Gone.class);
    assertThat(it.manager.list()).containsExactlyInAnyOrder("r", "f");
    assertThat(it.manifest("f").template()).isEmpty();
  }

  @Test
  void a_search_reads_each_manifest_once_if_nothing_is_renamed_meanwhile() throws Exception {
    for (int i = 0; i < 5; i++) {
      it.template("r", "u" + i); // each leaves a name for another
    }
    it.fork("f");
    RequestCounts counts = new RequestCounts();
    ObservedObjectStore store = new ObservedObjectStore(it.another(), counts);
    assertThat(Forks.of(store, it.templateId())).containsExactly("f");
    int names = 3 + 1 + 2 * 5; // r, t, f, of which t was renamed as the others
    assertThat(counts.snapshot()).hasToString(names + 1 + " requests: " + names + " GET, 1 LIST");
  }

  @Test
  void K12_a_fork_that_is_renamed_twice_during_a_scan_is_found() throws Exception {
    it.fork("b");
    String template = it.templateId();
    for (String read : List.of("a", "b", "c", "r", "t")) {
      Staged store = new Staged(read);
      store.beforeGet.set(
          () -> {
            it.manager.rename("b", "a");
            it.manager.rename("a", "c");
          });
      it.manager.createRepository("c").close();
      it.manager.rename("c", "d");
      it.manager.delete("d");
      assertThat(Forks.of(store, template)).as("at the read of " + read).isNotEmpty();
      if (it.manager.list().contains("c")) {
        it.manager.rename("c", "b");
      }
    }
  }

  @Test
  void K12_a_fork_that_is_renamed_to_a_name_that_was_read_is_found() throws Exception {
    it.fork("b");
    it.manager.createRepository("a").close();
    it.manager.delete("a");
    Staged store = new Staged("b");
    store.beforeGet.set(
        () -> {
          it.manager.rename("b", "a"); // read as a tombstone
          it.manager.rename("a", "b");
          it.manager.rename("b", "a");
        });
    assertThat(Forks.of(store, it.templateId())).containsExactly("a");
  }

  @Test
  void a_rename_that_was_interrupted_is_no_fork_once_the_fork_has_arrived() throws Exception {
    it.fork("f");
    TestRepositories.renameAndDie(it.directory, "f", "g", 3);
    assertThat(Forks.of(it.store, it.templateId())).containsExactly("g");
    it.manager.delete("g");
    assertThat(Forks.any(it.store, it.templateId())).isEmpty();
    String template = it.templateId();
    it.manager.delete("t");
    it.sweep("t");
    assertThat(it.stored(template)).isEmpty();
  }

  @Test
  void a_rename_that_was_interrupted_before_the_fork_arrived_is_one() throws Exception {
    it.fork("f");
    TestRepositories.renameAndDie(it.directory, "f", "g", 2);
    assertThat(Forks.of(it.store, it.templateId())).containsExactly("f");
    assertThatThrownBy(() -> it.manager.delete("t")).hasMessageContaining("has the fork f;");
    it.manager.rename("f", "g");
    assertThat(Forks.of(it.store, it.templateId())).containsExactly("g");
  }

  /** Does something to the repository that becomes a template, while it is collected. */
  private final class Meddling extends EmptyProgressMonitor {
    private final IoConsumerOfName step;
    private boolean done;

    Meddling(IoConsumerOfName step) {
      this.step = step;
    }

    @Override
    public void beginTask(String title, int total) {
      try {
        Optional<String> staging =
            it.manager.list().stream().filter(n -> n.startsWith("u.importing/")).findFirst();
        if (staging.isPresent() && !done && hasRefs(staging.get())) {
          done = true;
          step.accept(staging.get());
        }
      } catch (Exception e) {
        throw new AssertionError(e);
      }
    }

    private boolean hasRefs(String staging) throws IOException {
      Refs refs = it.manifest(staging).refs();
      return !refs.overlay().isEmpty() || !refs.levels().isEmpty();
    }
  }

  /** A step at a name. */
  private interface IoConsumerOfName {
    void accept(String name) throws Exception;
  }

  @Test
  void K13_a_push_to_a_template_in_the_making_is_in_no_template() throws Exception {
    Meddling pushes =
        new Meddling(
            name -> {
              try (S3RepositoryManager other = MaintenanceFixture.manager(it.another());
                  S3Repository staging = other.openRepository(name)) {
                MaintenanceFixture.point(staging, "refs/heads/theirs", it.first);
              }
            });
    assertThatThrownBy(() -> it.template("r", "u", pushes))
        .hasMessageContaining("was changed by others while it was made a template");
    assertThat(pushes.done).isTrue();
    assertThat(it.manager.list()).containsExactlyInAnyOrder("r", "t");
  }

  @Test
  void K13_a_template_in_the_making_that_others_rename_is_none() throws Exception {
    Meddling renames =
        new Meddling(
            name -> {
              try (S3RepositoryManager other = MaintenanceFixture.manager(it.another())) {
                other.rename(name, "theirs");
              }
            });
    assertThatThrownBy(() -> it.template("r", "u", renames)).isInstanceOf(IOException.class);
    assertThat(renames.done).isTrue();
    assertThat(it.manager.list()).contains("theirs").doesNotContain("u");
    assertThat(it.manifest("theirs").template()).isEmpty();
  }

  @Test
  void K13_what_is_not_as_it_was_when_it_was_whole_is_not_made_a_template() throws Exception {
    RepositoryName target = RepositoryName.of("u");
    try (S3Repository staging = it.manager.createImport(target)) {
      Manifest whole = staging.manifest();
      staging.setGitwebDescription("changed");
      assertThatThrownBy(() -> it.manager.freeze(name(staging), whole, target))
          .isInstanceOf(ManifestException.class)
          .hasMessageEndingWith("nothing was made of it, repeat the command");
      assertThatThrownBy(
              () -> it.manager.freeze(name(staging), staging.manifest(), RepositoryName.of("v")))
          .isInstanceOf(ManifestException.class);
      it.manager.freeze(name(staging), staging.manifest(), target);
      assertThatThrownBy(() -> staging.setGitwebDescription("again"))
          .isInstanceOf(ManifestException.class);
      String name = name(staging).value();
      assertThatThrownBy(() -> it.manager.fork(name, "f")).hasMessageContaining("is no template");
    }
  }

  @Test
  void K8_a_fork_that_lists_an_object_of_its_template_is_not_detached() throws Exception {
    it.fork("f");
    String pack = it.manifest("f").packs().get(0).id();
    try (ManifestCommitter f =
        new ManifestCommitter(it.store, RepositoryName.of("f"), CommitPolicy.DEFAULT)) {
      assertThatThrownBy(
              () ->
                  f.<Boolean>commit(
                      base -> Proposal.edit(base.withTemplate(Optional.empty()), true)))
          .isInstanceOf(ManifestException.class)
          .hasMessageContaining(": still lists ")
          .hasMessageEndingWith(" of its template; repeat the command");
    }
    assertThat(it.manifest("f").packs().get(0).id()).isEqualTo(pack);
    it.isSound("f");
  }

  @Test
  void K9_a_detached_fork_never_lists_an_object_of_its_template_again() throws Exception {
    it.fork("f");
    Manifest before = it.manifest("f");
    it.manager.detach("f", SILENT);
    try (S3Repository f = it.manager.openRepository("f")) {
      assertThat(f.manifest().sweepBoundary())
          .isGreaterThanOrEqualTo(before.template().orElseThrow().generation());
    }
  }

  private static RepositoryName name(S3Repository repository) {
    return new RepositoryName(repository.getDescription().getRepositoryName());
  }
}
