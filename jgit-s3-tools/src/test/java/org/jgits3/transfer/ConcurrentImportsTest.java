// SPDX-License-Identifier: Apache-2.0
package org.jgits3.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.eclipse.jgit.errors.RepositoryNotFoundException;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.internal.store.file.DirectoryObjectStore;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.store.DelegatingObjectStore;
import org.jgits3.store.MemoryObjectStore;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.Precondition;
import org.jgits3.store.PutOutcome;
import org.jgits3.testing.GitClient;
import org.jgits3.testing.GitHistory;
import org.jgits3.testing.Holds;
import org.jgits3.testing.RandomSeed;
import org.jgits3.verify.Verification;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Imports of one name beside each other. */
@Holds(
    "RepositoryCatalog: Each import has its own repository. Of several for one name one succeeds, "
        + "and the others say so.")
class ConcurrentImportsTest extends ImportFixture {
  /** Requests between two moments at which something happens. */
  private static final int STEP = RandomSeed.count(2, 1);

  private static final String FORMAT = "--format=%(objectname) %(refname)";

  /** An import by a process of its own; returns why it failed. */
  private static AtomicReference<IOException> importBy(Path directory, GitClient from) {
    AtomicReference<IOException> failure = new AtomicReference<>();
    try (S3RepositoryManager manager = TestRepositories.manager(directory)) {
      importInto(manager, from.directory().toString());
    } catch (IOException e) {
      failure.set(e);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
    return failure;
  }

  private static void isWhole(Path directory, GitClient of) throws Exception {
    try (S3RepositoryManager manager = TestRepositories.manager(directory);
        S3Repository repository = manager.openRepository(NAME.value())) {
      assertThat(manager.list()).containsExactly(NAME.value());
      String refs =
          repository.getRefDatabase().getRefsByPrefix("refs/").stream()
              .map(ref -> ref.getObjectId().name() + ' ' + ref.getName())
              .collect(Collectors.joining("\n"));
      assertThat(refs).isEqualTo(of.run("for-each-ref", FORMAT));
      assertThat(
              new Verification(manager, NullProgressMonitor.INSTANCE).run(NAME.value()).findings())
          .isEmpty();
    }
  }

  /** The work of another process, and a check after both have ended. */
  @FunctionalInterface
  private interface Ended {
    void check(Path directory, AtomicReference<IOException> first, IOException second)
        throws Exception;
  }

  /** Runs an import, and another one between two requests of it: between any two. */
  private void atEachRequest(GitClient other, Ended ended) throws Exception {
    for (int requests = RandomSeed.first() % STEP; requests < MANY; requests += STEP) {
      Path directory = scratch.resolve("store-" + requests);
      AtomicReference<IOException> second = new AtomicReference<>();
      InterleavedStore store =
          new InterleavedStore(
              new DirectoryObjectStore(directory),
              requests,
              () -> second.set(importBy(directory, other).get()));
      AtomicReference<IOException> first = new AtomicReference<>();
      try (S3RepositoryManager manager = TestRepositories.manager(store)) {
        importInto(manager, source.directory().toString());
      } catch (IOException e) {
        first.set(e);
      }
      if (!store.isOver()) {
        assertThat(requests).as("requests of an import").isGreaterThan(8);
        return;
      }
      ended.check(directory, first, second.get());
    }
    throw new AssertionError("an import takes more than " + MANY + " requests");
  }

  @Test
  void of_two_imports_one_makes_the_repository_and_the_other_none() throws Exception {
    atEachRequest(
        source,
        (directory, first, second) -> {
          isWhole(directory, source);
          assertThat(first.get() == null || second == null).isTrue();
          for (IOException failure : new IOException[] {first.get(), second}) {
            if (failure != null) {
              assertThat(failure)
                  .isInstanceOf(ManifestException.Exists.class)
                  .hasMessageContaining("repository r already");
            }
          }
        });
  }

  @Test
  void an_import_that_fails_does_not_disturb_another_of_the_same_name() throws Exception {
    makeBroken("broken");
    atEachRequest(
        git.at("broken"),
        (directory, first, second) -> {
          assertThat(first.get()).isNull();
          assertThat(second).isNotNull();
          isWhole(directory, source);
        });
  }

  /** As after a source was rewritten, and what it had before was pruned. */
  @Test
  void a_killed_import_is_replaced_by_one_of_another_source() throws Exception {
    GitClient other = new GitHistory(2, 12, 4, 3, List.of()).importInto(git, "other.git");
    for (int requests = RandomSeed.first() % STEP; requests < MANY; requests += STEP) {
      Path directory = scratch.resolve("store-" + requests);
      DyingStore dying = new DyingStore(new DirectoryObjectStore(directory), requests, true);
      try (S3RepositoryManager manager = TestRepositories.impatient(dying)) {
        importInto(manager, source.directory().toString());
        if (!dying.isDead()) {
          return;
        }
      } catch (IOException killed) {
        IOException failure = importBy(directory, other).get();
        if (failure == null) {
          isWhole(directory, other);
        } else { // the one that was killed had given it its name
          assertThat(failure).isInstanceOf(ManifestException.Exists.class);
          isWhole(directory, source);
        }
      }
    }
    throw new AssertionError("an import takes more than " + MANY + " requests");
  }

  @Test
  void a_name_that_another_process_has_freed_is_free() throws Exception {
    Path directory = scratch.resolve("store");
    try (S3RepositoryManager manager = TestRepositories.manager(directory);
        S3RepositoryManager other = TestRepositories.manager(directory)) {
      manager.createRepository(NAME.value()).close();
      other.delete(NAME.value());
      importInto(manager, source.directory().toString());
    }
    isWhole(directory, source);
  }

  /**
   * An import, and between any two requests of it another one, which is killed before any of its
   * requests; then the name is freed, and used again.
   */
  @Tag("long") // of_two_imports_one_makes_the_repository_and_the_other_none
  @Test
  void an_import_that_is_refused_was_never_seen() throws Exception {
    for (int requests = 0; requests < MANY; requests++) {
      boolean killed = true;
      for (int other = 0; killed && other < MANY; other++) {
        SeenImport run = new SeenImport(requests, other);
        if (!run.isInterleaved()) {
          assertThat(requests).as("requests of an import").isGreaterThan(8);
          return;
        }
        killed = run.isOtherKilled();
      }
    }
    throw new AssertionError("an import takes more than " + MANY + " requests");
  }

  /** One run of it. */
  private final class SeenImport {
    private final ObjectStore memory = new MemoryObjectStore();
    private final Set<String> made = new HashSet<>();
    private final Set<String> seen = new HashSet<>();
    private final InterleavedStore store;
    private boolean otherKilled;

    SeenImport(int requests, int others) throws Exception {
      ObjectStore watched =
          new KeptStore(memory) {
            @Override
            public PutOutcome putIf(String key, byte[] body, Precondition precondition)
                throws IOException {
              if (precondition.equals(Precondition.absent())) {
                ObjectNames.repositoryIdOfManifest(key).ifPresent(made::add);
              }
              return super.putIf(key, body, precondition);
            }
          };
      store = new InterleavedStore(watched, requests, () -> meanwhile(others));
      try (S3RepositoryManager manager = TestRepositories.manager(store)) {
        importInto(manager, source.directory().toString());
      } catch (ManifestException.Exists | ManifestException.Gone refused) {
        look();
        assertThat(Collections.disjoint(made, seen)).as(requests + ", " + others).isTrue();
      } catch (IOException failed) {
        // because the other one has deleted its remains, say
      }
    }

    private void meanwhile(int others) {
      DyingStore dying = new DyingStore(memory, others, true);
      try (S3RepositoryManager manager = TestRepositories.impatient(dying)) {
        importInto(manager, source.directory().toString());
      } catch (IOException killed) {
        // as it is to be
      } catch (Exception e) {
        throw new AssertionError(e);
      }
      otherKilled = dying.isDead();
      try (S3RepositoryManager manager = TestRepositories.manager(new KeptStore(memory))) {
        look();
        manager.delete(NAME.value());
        manager.createRepository(NAME.value()).close();
      } catch (ManifestException.Gone none) {
        // nothing to be deleted
      } catch (Exception e) {
        throw new AssertionError(e);
      }
    }

    private void look() throws Exception {
      try (S3RepositoryManager manager = TestRepositories.manager(new KeptStore(memory));
          S3Repository repository = manager.openRepository(NAME.value())) {
        seen.add(repository.manifest().repositoryId());
      } catch (RepositoryNotFoundException none) {
        // nothing to be seen
      }
    }

    boolean isInterleaved() {
      return store.isOver();
    }

    boolean isOtherKilled() {
      return otherKilled;
    }
  }

  /** Stays open for another manager. */
  private static class KeptStore extends DelegatingObjectStore {
    KeptStore(ObjectStore store) {
      super(store);
    }

    @Override
    public void close() {}
  }
}
