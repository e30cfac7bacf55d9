// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.commit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import org.jgits3.internal.catalog.RepositoryCatalog;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.manifest.RepositorySettings;
import org.jgits3.manifest.RepositoryState;
import org.jgits3.store.GetResult;
import org.jgits3.store.PutOutcome;
import org.jgits3.testing.RandomSeed;
import org.junit.jupiter.api.Test;

/**
 * Renames, deletions and creations that die or stall at any of their requests while others go on,
 * or get no answer to them, or have them copied on the way, and are repeated. Whatever happens, a
 * repository is to be found under one name at most, and there it is as the last change has left it;
 * who asks for a rename moves it once at most, and is not told that the name is taken if that is by
 * this very repository; a deletion or a creation that is refused was not made; and no name is
 * blocked for good.
 */
class RenameInterleavingTest {
  private static final CommitPolicy POLICY = new CommitPolicy(Duration.ofSeconds(20));
  private static final List<RepositoryName> NAMES =
      List.of(RepositoryName.of("a"), RepositoryName.of("b"), RepositoryName.of("c"));
  private static final int RUNS = RandomSeed.count(400, 1500);
  private static final int STEPS = 12;

  /** Number of operations that may have stalled at the same time. */
  private static final int STALLED = 3;

  @Test
  void repository_is_under_one_name_at_most_and_as_it_was_left() {
    RandomSeed.forEach(RUNS, seed -> new Run(seed).go());
  }

  /** Stands for the death of a process: no code after the request runs. */
  private static final class Crash extends Error {
    private static final long serialVersionUID = 1;
  }

  /** A rename, a creation or a deletion under way. */
  private static final class Call {
    /** Nonces of the manifests that it wrote or tried to write. */
    private final Set<String> nonces = new HashSet<>();

    private int bindings;
    private boolean wrote;

    /** Reservations that it wrote or tried to write, by what they call the rename. */
    private final Set<String> renames = new HashSet<>();

    /** The manifest that it read first. */
    private Optional<Manifest> first = Optional.empty();

    /** Manifests of all names when it read last. */
    private Map<String, Manifest> seen = Map.of();

    /** Tests whether a name had the repository that was read first. */
    private boolean sees(RepositoryName name) {
      Manifest found = seen.get(name.manifestKey());
      return found != null
          && found.state() instanceof RepositoryState.Active
          && found.repositoryId().equals(first.orElseThrow().repositoryId());
    }
  }

  /** One store and what is done to it, all by one thread. */
  private static final class Run {
    private final ScriptedStore store = new ScriptedStore();
    private final RepositoryCatalog catalog =
        new RepositoryCatalog(store, POLICY, new VirtualTime(), new SplittableRandom(1));
    private final Random random;

    /** Unanswered writes, which may arrive again at any time. */
    private final List<ScriptedStore.PutRequest> late = new ArrayList<>();

    /** Calls under way, the last one first. */
    private final Deque<Call> calls = new ArrayDeque<>();

    private final Map<String, Manifest> current = new HashMap<>();
    private final Map<String, String> descriptions = new HashMap<>();
    private final Set<String> deleted = new HashSet<>();

    /** Nonces of all manifests that were written. */
    private final Set<String> written = new HashSet<>();

    /** Those of them that fence writers for a rename. */
    private final Set<String> marks = new HashSet<>();

    /** Old names of renames that are finished and not undone, by what reservations call them. */
    private final Map<String, RepositoryName> finished = new HashMap<>();

    private int depth;
    private boolean describing;
    private boolean undisturbed;

    Run(int seed) {
      random = new Random(seed);
      store.everyPut(this::put);
      store.everyGet(this::get);
      store.onApplied(request -> applied(request.key, request.manifest()));
    }

    void go() throws IOException {
      for (int i = 0; i < STEPS; i++) {
        step();
      }
      undisturbed = true;
      for (RepositoryName name : NAMES) {
        RepositoryState state = state(name);
        if (state instanceof RepositoryState.Moving moving) {
          catalog.rename(name, new RepositoryName(moving.to()));
        }
      }
      for (RepositoryName name : NAMES) {
        if (state(name) instanceof RepositoryState.Reserved reserved) {
          if (catalog.isAbandoned(name)) {
            catalog.create(name, RepositorySettings.NONE, ManifestFixture.HEAD);
          } else {
            catalog.rename(new RepositoryName(reserved.from()), name);
          }
        }
      }
      for (String repositoryId : descriptions.keySet()) {
        assertThat(active(repositoryId))
            .as(repositoryId)
            .isEqualTo(deleted.contains(repositoryId) ? 0 : 1);
      }
    }

    private RepositoryState state(RepositoryName name) throws IOException {
      return catalog.read(name).map(found -> found.manifest().state()).orElse(null);
    }

    private long active(String repositoryId) {
      return current.values().stream()
          .filter(
              m ->
                  m.repositoryId().equals(repositoryId)
                      && m.state() instanceof RepositoryState.Active)
          .count();
    }

    /** Checks the effect of a write on the store. */
    private void applied(String key, Manifest manifest) {
      String repositoryId = manifest.repositoryId();
      Manifest before = current.put(key, manifest);
      written.add(manifest.nonce());
      if (manifest.state() instanceof RepositoryState.Moving) {
        marks.add(manifest.nonce());
      }
      if (before != null
          && before.state() instanceof RepositoryState.Reserved reserved
          && manifest.state() instanceof RepositoryState.Active
          && before.repositoryId().equals(repositoryId)) {
        finished.values().removeIf(from -> from.manifestKey().equals(key));
        finished.put(reserved.rename(), new RepositoryName(reserved.from()));
      }
      if (manifest.state() instanceof RepositoryState.Deleted) {
        deleted.add(repositoryId);
      }
      if (manifest.state() instanceof RepositoryState.Active) {
        String description = manifest.settings().description();
        if (describing) {
          descriptions.put(repositoryId, description);
        }
        assertThat(description)
            .isEqualTo(descriptions.computeIfAbsent(repositoryId, l -> description));
        assertThat(active(repositoryId)).isEqualTo(1);
        assertThat(deleted).doesNotContain(repositoryId);
      }
    }

    private PutOutcome put(ScriptedStore.PutRequest request) {
      if (!calls.isEmpty() && !describing) {
        calls.peek().wrote = true;
        calls.peek().nonces.add(request.manifest().nonce());
        if (request.manifest().state() instanceof RepositoryState.Reserved reserved) {
          calls.peek().renames.add(reserved.rename());
        }
      }
      meanwhile();
      dieSometimes();
      if (isLost()) {
        late.add(request);
        return ScriptedStore.NO_ANSWER;
      }
      if (!undisturbed && !late.isEmpty() && random.nextInt(3) == 0) {
        late.get(random.nextInt(late.size())).apply();
      }
      PutOutcome outcome = request.apply();
      boolean binds = request.manifest().state() instanceof RepositoryState.Active;
      if (binds && !describing && outcome instanceof PutOutcome.Won && !calls.isEmpty()) {
        calls.peek().bindings++;
        assertThat(calls.peek().bindings).isEqualTo(1);
      }
      meanwhile();
      dieSometimes();
      if (isLost()) {
        late.add(request);
        return ScriptedStore.NO_ANSWER;
      }
      if (!undisturbed && random.nextInt(10) == 0) {
        outcome = request.apply(); // a copy of the request
        meanwhile();
      }
      return outcome;
    }

    private GetResult get(ScriptedStore.GetRequest request) {
      meanwhile();
      GetResult result = request.read();
      if (!calls.isEmpty()) {
        Call call = calls.peek();
        call.first = call.first.or(() -> Optional.ofNullable(current.get(request.key)));
        call.seen = Map.copyOf(current);
      }
      meanwhile();
      return result;
    }

    private void meanwhile() {
      if (!undisturbed && depth <= STALLED && random.nextInt(6) == 0) {
        step();
      }
    }

    private boolean isLost() {
      return !undisturbed && random.nextInt(8) == 0;
    }

    private void dieSometimes() {
      if (!undisturbed && random.nextInt(10) == 0) {
        throw new Crash();
      }
    }

    /** Does something, and does not mind if it is refused, or dies. */
    private void step() {
      depth++;
      try {
        RepositoryName name = NAMES.get(random.nextInt(NAMES.size()));
        int what = random.nextInt(10);
        if (what < 6) {
          rename(name, NAMES.get(random.nextInt(NAMES.size())));
        } else if (what < 8) {
          describe(name);
        } else if (what < 9) {
          create(name);
        } else if (random.nextInt(3) == 0) {
          delete(name);
        }
      } catch (IOException | Crash e) {
        // the caller is told, or dead
      } finally {
        depth--;
      }
    }

    private void create(RepositoryName name) throws IOException {
      calls.push(new Call());
      try {
        catalog.create(name, RepositorySettings.NONE, ManifestFixture.HEAD);
      } catch (ManifestException.Exists taken) {
        assertThat(Collections.disjoint(calls.peek().nonces, written)).as("not created").isTrue();
        throw taken;
      } finally {
        calls.pop();
      }
    }

    private void delete(RepositoryName name) throws IOException {
      calls.push(new Call());
      try {
        catalog.delete(name);
        assertThat(Collections.disjoint(calls.peek().nonces, written)).as("not deleted").isFalse();
      } catch (ManifestException.Gone gone) {
        assertThat(Collections.disjoint(calls.peek().nonces, written)).as("not deleted").isTrue();
        throw gone;
      } finally {
        calls.pop();
      }
    }

    private void rename(RepositoryName from, RepositoryName to) throws IOException {
      Call call = new Call();
      calls.push(call);
      try {
        catalog.rename(from, to);
      } catch (ManifestException.Exists taken) {
        boolean arrived = call.wrote && call.sees(to);
        assertThat(arrived && !from.equals(to)).as(from + " to " + to).isFalse();
        throw taken;
      } catch (ManifestException.Gone gone) {
        assertThat(Collections.disjoint(call.nonces, marks)).as("not renamed").isTrue();
        assertThat(Collections.disjoint(call.renames, finished.keySet()))
            .as("not finished")
            .isTrue();
        throw gone;
      } finally {
        calls.pop();
      }
    }

    /** A change, made at one moment; others do not see how. */
    private void describe(RepositoryName name) throws IOException {
      boolean before = undisturbed;
      undisturbed = true;
      calls.push(new Call());
      try (ManifestCommitter committer = new ManifestCommitter(store, name, POLICY)) {
        committer.validate();
        describing = true;
        committer.commit(ManifestFixture.describing("change " + random.nextInt()));
      } finally {
        calls.pop();
        describing = false;
        undisturbed = before;
      }
    }
  }
}
