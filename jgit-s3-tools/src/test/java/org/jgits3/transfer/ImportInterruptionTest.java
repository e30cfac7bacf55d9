// SPDX-License-Identifier: Apache-2.0
package org.jgits3.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import org.eclipse.jgit.errors.RepositoryNotFoundException;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.internal.fleet.Manifests;
import org.jgits3.manifest.ManifestException;
import org.jgits3.store.MemoryObjectStore;
import org.jgits3.store.ObjectStore;
import org.jgits3.testing.GitAssertions;
import org.jgits3.testing.GitClient;
import org.jgits3.testing.Holds;
import org.jgits3.testing.RandomSeed;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An import that is killed, at whatever request. */
@Holds(
    "RepositoryCatalog, Importer: An import gets its name when it is complete, and is not found "
        + "before. One killed at any request does not stop the next. (E-p40 to E-p43)")
class ImportInterruptionTest extends ImportFixture {
  private static final String FORMAT = "--format=%(objectname) %(refname) %(symref)";

  /**
   * Requests that the numbers of those an import is killed after differ by. What request n leaves
   * unapplied is what request n-1 leaves applied.
   */
  private static final int STEP = RandomSeed.count(2, 1);

  /** Expected value of a setting of the source. */
  private String carried = "true";

  @BeforeEach
  void addToSource() {
    source.run("symbolic-ref", "refs/heads/alias", "refs/heads/main");
    source.run("config", "receive.denyDeletes", "true");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void import_killed_at_any_request_leaves_nothing_or_all_of_its_name(boolean lastApplied)
      throws Exception {
    isFinishedByAnother(source.directory().toString(), lastApplied);
  }

  @Test
  @Tag("long") // the test after it is like it
  void import_from_a_url_killed_before_any_request_is_finished_by_another() throws Exception {
    isFinishedByAnotherFromUrl(false);
  }

  @Test
  void import_from_a_url_killed_after_any_request_is_finished_by_another() throws Exception {
    isFinishedByAnotherFromUrl(true);
  }

  /** Git's protocols carry neither symbolic refs but HEAD nor configuration. */
  private void isFinishedByAnotherFromUrl(boolean lastApplied) throws Exception {
    source.run("symbolic-ref", "--delete", "refs/heads/alias");
    carried = "";
    try (GitDaemon daemon = new GitDaemon(scratch, false)) {
      isFinishedByAnother(daemon.url("source.git"), lastApplied);
    }
  }

  private void isFinishedByAnother(String location, boolean lastApplied) throws Exception {
    String refs = source.run("for-each-ref", FORMAT);
    for (int requests = 0; requests < MANY; requests += STEP) {
      MemoryObjectStore store = new MemoryObjectStore();
      DyingStore dying = new DyingStore(store, requests, lastApplied);
      boolean failed = false;
      try (S3RepositoryManager manager = TestRepositories.impatient(dying)) {
        importInto(manager, location);
      } catch (IOException e) {
        failed = true;
      }
      boolean whole = isWhole(store, refs, "first" + requests);
      assertThat(whole || failed).as("killed after %d requests", requests).isTrue();
      if (!dying.isDead()) {
        assertThat(requests).as("requests of an import").isGreaterThan(8);
        return;
      }
      if (!whole) {
        try (S3RepositoryManager manager = TestRepositories.manager(store)) {
          importInto(manager, location);
        }
        assertThat(isWhole(store, refs, "second" + requests)).isTrue();
      }
    }
    throw new AssertionError("an import takes more than " + MANY + " requests");
  }

  /** Tests whether there is a repository. If so, it must be all of the source, and the only one. */
  private boolean isWhole(ObjectStore store, String refs, String export) throws Exception {
    try (S3RepositoryManager manager = TestRepositories.manager(store);
        S3Repository repository = manager.openRepository(NAME.value())) {
      Path exported = scratch.resolve(export);
      new Exporter(NullProgressMonitor.INSTANCE).run(repository, exported);
      GitClient out = git.at(exported);
      GitAssertions.assertIntact(out);
      assertThat(out.run("for-each-ref", FORMAT)).isEqualTo(refs);
      assertThat(out.run("symbolic-ref", "HEAD")).isEqualTo("refs/heads/main");
      assertThat(out.attempt("config", "receive.denyDeletes").stdout().strip()).isEqualTo(carried);
      return true;
    } catch (RepositoryNotFoundException | ManifestException.Gone none) {
      return false;
    }
  }

  @Test
  void source_that_lacks_an_object_is_refused_and_nothing_is_left() throws Exception {
    String blob = makeBroken("broken");
    Path directory = scratch.resolve("store");
    try (S3RepositoryManager manager = TestRepositories.manager(directory);
        ImportSource found = ImportSource.open(scratch.resolve("broken").toString())) {
      assertThatThrownBy(() -> new Importer(manager, NullProgressMonitor.INSTANCE).run(found, NAME))
          .hasMessageContaining(blob)
          .hasMessageContaining("missing");
      assertThat(manager.list()).isEmpty();
      Manifests.list(
          manager.store(), (id, object) -> assertThat(Manifests.isTombstone(object)).isTrue());
    }
  }
}
