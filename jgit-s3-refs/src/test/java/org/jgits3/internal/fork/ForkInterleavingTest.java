// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.fork;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.jgits3.internal.fork.ForkFixture.SILENT;

import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.eclipse.jgit.util.SystemReader;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestTemplates;
import org.jgits3.internal.catalog.RepositoryCatalog;
import org.jgits3.internal.commit.ManifestCommitter;
import org.jgits3.internal.commit.Proposal;
import org.jgits3.internal.commit.StoredManifest;
import org.jgits3.internal.function.IoSupplier;
import org.jgits3.internal.store.metrics.ObservedObjectStore;
import org.jgits3.internal.store.metrics.RequestCounts;
import org.jgits3.maintenance.MaintenanceFixture;
import org.jgits3.maintenance.Sweep;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.manifest.UnknownOutcomeException;
import org.jgits3.store.DelegatingObjectStore;
import org.jgits3.store.GetResult;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.ObjectVersion;
import org.jgits3.store.Precondition;
import org.jgits3.store.PutOutcome;
import org.jgits3.store.StagedStore;
import org.jgits3.store.StagedStore.Action;
import org.jgits3.store.StoreException;
import org.jgits3.testing.Holds;
import org.junit.jupiter.api.Test;

/** Forks, deletions, renames and sweeps by several processes: the cases of the model. */
class ForkInterleavingTest extends ForkTestCase {
  /** Does a step before a process that forks writes the manifest, which comes after the pointer. */
  private static void beforeManifest(StagedStore store, Action step) {
    store.beforeWrite(() -> store.beforeWrite(step));
  }

  /** Deletes a template as a process does that found no fork before. */
  private void tombstone(String name) throws IOException {
    new RepositoryCatalog(it.store, Duration.ofMinutes(1))
        .delete(Optional.empty(), RepositoryName.of(name), any -> {});
  }

  @Holds(
      "Sweep, Forks: The objects of a deleted template stay while it has a fork, even one made "
          + "later (K3, K4, K10, E-m20 to E-m22, E-m35)")
  @Test
  void K3_K10_a_deleted_template_is_not_swept_while_it_has_a_fork() throws Exception {
    it.fork("f");
    String template = it.templateId();
    tombstone("t");
    Sweep.Report report = it.sweepById(template);
    assertThat(report.fork()).contains("f");
    assertThat(report.upToDate()).as("to be searched again").isEmpty();
    it.isSound("f");
    it.manager.rename("f", "g");
    assertThat(it.sweepById(template).fork()).contains("g");
    it.isSound("g");
    it.deleteAndSweep("g");
    assertThat(it.sweepById(template).fork()).isEmpty();
    assertThat(it.stored(template)).isEmpty();
  }

  /** A cache before a store may answer so; the store itself never does. */
  @Test
  void template_is_not_swept_while_a_listed_manifest_is_not_found() throws Exception {
    it.fork("f");
    String template = it.templateId();
    Set<String> objects = it.stored(template);
    tombstone("t");
    String fork = ObjectNames.manifestKey(it.manifest("f").repositoryId());
    ObjectStore forgetful =
        new DelegatingObjectStore(it.another()) {
          @Override
          public GetResult get(String key, Optional<ObjectVersion> known) throws IOException {
            return key.equals(fork) ? new GetResult.Missing() : super.get(key, known);
          }
        };
    try (S3RepositoryManager sweeper = MaintenanceFixture.manager(forgetful)) {
      assertThatThrownBy(() -> sweeper.sweepById(template, Duration.ZERO, false))
          .isInstanceOf(ManifestException.class)
          .hasMessageContaining(fork + ": is missing though it was listed");
    }
    assertThat(it.stored(template)).isEqualTo(objects);
    it.isSound("f");
  }

  /** Makes a fork in another process, which does a step before it looks at the template. */
  private void forks(String name, String template, Action beforeLook) throws Exception {
    StagedStore store = new StagedStore(it.another());
    try (S3RepositoryManager other = MaintenanceFixture.manager(store)) {
      other.openRepository(template).close();
      String key = StoredManifest.key(it.store, template);
      beforeManifest(store, () -> store.beforeGet(key, beforeLook));
      other.fork(template, name).close();
    }
  }

  private Throwable failureOfFork(String name, String template, Action beforeLook) {
    return catchThrowable(() -> forks(name, template, beforeLook));
  }

  @Test
  void a_fork_that_cannot_look_at_its_template_has_an_unknown_outcome() throws Exception {
    StoreException.Refused refused = new StoreException.Refused("x", "the store is closed", null);
    assertThat(
            failureOfFork(
                "f",
                "t",
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

  @Holds(
      "RepositoryCatalog: A fork is acknowledged only if its template existed after its write. "
          + "Otherwise it, and no other of its name, is deleted, or its outcome is unknown. (K1, K2, "
          + "E-m17 to E-m19)")
  @Test
  void E_m19_a_fork_looks_for_its_template_by_the_id() throws Exception {
    assertThatThrownBy(() -> forks("f", "t", () -> it.manager.rename("t", "u")))
        .isInstanceOf(ManifestException.Gone.class)
        .hasMessage("the template of f was deleted or renamed meanwhile; there is no fork");
    it.manager.fork("u", "f").close();
    it.isSound("f");
  }

  @Test
  void a_fork_that_others_have_pushed_to_is_not_deleted() throws Exception {
    String template = it.templateId();
    assertThat(
            failureOfFork(
                "f",
                "t",
                () -> {
                  it.push("f");
                  tombstone("t");
                }))
        .isInstanceOf(UnknownOutcomeException.class);
    assertThat(it.refs("f")).hasSize(2);
    it.sweepById(template);
    it.isSound("f");
  }

  @Test
  void a_repository_that_has_taken_the_name_of_a_fork_is_not_deleted_for_it() throws Exception {
    assertThat(
            failureOfFork(
                "f",
                "t",
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
  void a_search_reads_each_manifest_once() throws Exception {
    it.fork("f");
    it.manager.rename("r", "s");
    RequestCounts counts = new RequestCounts();
    ObservedObjectStore store = new ObservedObjectStore(it.another(), counts);
    assertThat(Forks.of(store, it.templateId())).containsExactly("f");
    assertThat(counts.snapshot()).hasToString("4 requests: 3 GET, 1 LIST");
  }

  @Test
  void K13_what_is_not_as_it_was_when_it_was_whole_is_not_made_a_template() throws Exception {
    try (S3Repository made = it.manager.imports().create(true)) {
      Manifest whole = made.manifest();
      made.setGitwebDescription("changed");
      assertThatThrownBy(() -> it.manager.imports().freeze(made, whole))
          .isInstanceOf(ManifestException.class)
          .hasMessageEndingWith("nothing was made of it, repeat the command");
      it.manager.imports().freeze(made, made.manifest());
      assertThatThrownBy(() -> made.setGitwebDescription("again"))
          .isInstanceOf(ManifestException.class);
      it.manager.imports().publish(made, RepositoryName.of("u"));
    }
    it.manager.fork("u", "f").close();
    it.isSound("f");
  }

  /** Does something when a week has passed. */
  private static <T> T afterAWeek(IoSupplier<T> work) throws IOException {
    SystemReader machine = SystemReader.getInstance();
    SystemReader.setInstance(
        new SystemReader.Delegate(machine) {
          @Override
          public Instant now() {
            return machine.now().plus(Duration.ofDays(8));
          }
        });
    try {
      return work.get();
    } finally {
      SystemReader.setInstance(machine);
    }
  }

  @Test
  void a_deleted_template_is_not_swept_while_a_fork_was_deleted_of_late() throws Exception {
    it.fork("f");
    String template = it.templateId();
    Set<String> stored = it.stored(template);
    tombstone("t");
    Sweep.Report report =
        afterAWeek(
            () -> {
              it.manager.delete("f");
              return it.manager.sweepById(template, Duration.ofDays(1), false);
            });
    assertThat(report.fork().orElseThrow()).endsWith("deleted of late");
    assertThat(it.stored(template)).isEqualTo(stored);
    assertThat(it.sweepById(template).fork()).as("without a time of grace").isEmpty();
    assertThat(it.stored(template)).isEmpty();
  }

  @Test
  void E_m35_first_manifest_of_a_template_in_a_copy_keeps_what_its_fork_lists() throws Exception {
    Map<String, byte[]> first = new HashMap<>();
    ObjectStore noting =
        new DelegatingObjectStore(it.another()) {
          @Override
          public PutOutcome putIf(String key, byte[] body, Precondition condition)
              throws IOException {
            first.putIfAbsent(key, body);
            return super.putIf(key, body, condition);
          }
        };
    try (S3RepositoryManager manager = MaintenanceFixture.manager(noting)) {
      TestTemplates.make(manager, "r", "u");
    }
    it.manager.fork("u", "f").close();
    Manifest u = it.manifest("u");
    String key = ObjectNames.manifestKey(u.repositoryId());
    Files.write(it.directory.resolve(key), first.get(key)); // copied before that of the fork
    assertThat(afterAWeek(() -> it.sweepById(u.repositoryId())).fork()).contains("f");
    it.isSound("f");
  }

  @Holds(
      "ListingRules, S3RepositoryManager: A fork that lists an object of its template names it. A "
          + "detached one has copied all, and never lists one again. (K8, K9)")
  @Test
  void K8_a_fork_that_lists_an_object_of_its_template_is_not_detached() throws Exception {
    it.fork("f");
    String pack = it.manifest("f").packs().get(0).id();
    try (ManifestCommitter f =
        StoredManifest.committer(it.store, RepositoryName.of("f"), ManifestCommitter.DEADLINE)) {
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
}
