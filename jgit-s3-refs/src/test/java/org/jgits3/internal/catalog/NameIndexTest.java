// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.jgits3.internal.commit.CommitPolicy;
import org.jgits3.internal.commit.ManifestFixture;
import org.jgits3.internal.commit.ScriptedStore;
import org.jgits3.internal.commit.VirtualTime;
import org.jgits3.maintenance.NameIndex;
import org.jgits3.manifest.Departure;
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
 * Copies of a store that are taken manifest by manifest while repositories are created, renamed and
 * deleted. The codes are those of the model of names.
 */
class NameIndexTest {
  private static final CommitPolicy POLICY = new CommitPolicy(Duration.ofSeconds(20));
  private static final RepositoryName A = RepositoryName.of("a");
  private static final RepositoryName B = RepositoryName.of("b");
  private static final RepositoryName C = RepositoryName.of("c");
  private static final List<RepositoryName> NAMES = List.of(A, B, C);
  private static final int RUNS = RandomSeed.count(300, 1000);

  private final ScriptedStore store = new ScriptedStore();
  private final RepositoryCatalog catalog = catalog(store);

  /** Stands for the death of a process: no code after the request runs. */
  private static final class Crash extends Error {
    private static final long serialVersionUID = 1;
  }

  private static RepositoryCatalog catalog(ScriptedStore store) {
    return new RepositoryCatalog(store, POLICY, new VirtualTime(), new SplittableRandom(1));
  }

  private static void create(RepositoryCatalog catalog, RepositoryName name) throws IOException {
    catalog.create(name, RepositorySettings.NONE, ManifestFixture.HEAD);
  }

  private String repositoryId(RepositoryName name) throws IOException {
    return catalog.read(name).orElseThrow().manifest().repositoryId();
  }

  private List<NameIndex.Contradiction> contradictions() throws IOException {
    return NameIndex.read(store).contradictions();
  }

  /** Begins a rename and dies after so many writes. */
  private void dieAfter(int writes, RepositoryName from, RepositoryName to) {
    for (int i = 0; i < writes; i++) {
      store.nextPut(ScriptedStore.PutRequest::apply);
    }
    store.nextPut(
        request -> {
          throw new Crash();
        });
    assertThatThrownBy(() -> catalog.rename(from, to)).isInstanceOf(Crash.class);
  }

  @Test
  void a_store_that_only_bindings_have_changed_has_no_contradictions() throws Exception {
    create(catalog, A);
    create(catalog, C);
    catalog.rename(A, B);
    create(catalog, A);
    catalog.delete(A);
    create(catalog, A);
    catalog.rename(B, RepositoryName.of("d/e"));
    dieAfter(1, C, B); // reserved
    dieAfter(3, A, RepositoryName.of("f")); // bound, without the tombstone
    assertThat(contradictions()).isEmpty();
    assertThat(NameIndex.read(store).holders(repositoryId(A)))
        .containsExactly(RepositoryName.of("f"));
    assertThat(NameIndex.read(store).holders(repositoryId(C))).containsExactly(C);
  }

  @Test
  void N3_a_copy_that_has_both_names_of_a_renamed_repository_is_refused() throws Exception {
    create(catalog, A);
    byte[] early = store.bytes(A.manifestKey());
    catalog.rename(A, B);
    store.overwrite(A.manifestKey(), early);
    assertThat(contradictions())
        .extracting(NameIndex.Contradiction::key)
        .containsExactly(A.manifestKey(), B.manifestKey());
    assertThat(contradictions().get(0).problem())
        .contains("the names a and b hold the same repository");
    catalog.delete(A);
    assertThat(contradictions()).isEmpty();
    assertThat(NameIndex.read(store).holders(repositoryId(B))).containsExactly(B);
  }

  @Test
  void N4_a_copy_that_has_neither_name_of_a_renamed_repository_is_refused() throws Exception {
    create(catalog, A);
    String repositoryId = repositoryId(A);
    catalog.rename(A, B);
    store.delete(List.of(B.manifestKey()));
    assertThat(contradictions())
        .containsExactly(
            new NameIndex.Contradiction(
                B.manifestKey(),
                "lacks the repository that was renamed from a to b: it is from before that; copy"
                    + " this manifest again"));
    assertThat(NameIndex.read(store).holders(repositoryId)).isEmpty();
  }

  @Test
  void N5_a_rename_whose_new_name_does_not_know_of_it_is_refused_and_not_finished()
      throws Exception {
    create(catalog, A);
    create(catalog, B);
    catalog.delete(B);
    byte[] early = store.bytes(B.manifestKey());
    dieAfter(2, A, B);
    byte[] moving = store.bytes(A.manifestKey());
    store.overwrite(B.manifestKey(), early);
    assertThat(contradictions())
        .singleElement()
        .satisfies(c -> assertThat(c.key()).isEqualTo(A.manifestKey()))
        .satisfies(c -> assertThat(c.problem()).contains("renamed to b", "from before that"));
    assertThatThrownBy(() -> catalog.rename(A, B))
        .isInstanceOf(ManifestException.class)
        .hasMessageContaining("is from before the rename of a to it")
        .hasMessageContaining("nothing was changed");
    assertThat(store.bytes(A.manifestKey())).isEqualTo(moving);
    assertThat(NameIndex.read(store).holders(repositoryId(A))).containsExactly(A);
  }

  @Test
  void N6_a_name_that_is_used_again_tells_which_repository_left_it() throws Exception {
    create(catalog, A);
    catalog.rename(A, B);
    create(catalog, A);
    store.delete(List.of(B.manifestKey()));
    assertThat(contradictions())
        .extracting(NameIndex.Contradiction::key)
        .containsExactly(B.manifestKey());
  }

  @Test
  void departures_are_of_the_name_and_not_of_the_repository() throws Exception {
    create(catalog, A);
    String first = repositoryId(A);
    catalog.rename(A, B);
    assertThat(left(A)).containsExactly(new Departure(first, "b", 1));
    create(catalog, A);
    catalog.rename(A, C);
    assertThat(left(A)).hasSize(2);
    assertThat(left(C)).isEmpty();
    catalog.rename(B, A);
    assertThat(left(A)).as("it has come back").hasSize(1);
    for (int i = 0; i < 2 * Departure.KEPT; i++) {
      RepositoryName other = RepositoryName.of("x" + i);
      create(catalog, other);
      catalog.rename(other, RepositoryName.of("y"));
      catalog.rename(RepositoryName.of("y"), RepositoryName.of("z" + i));
    }
    assertThat(left(RepositoryName.of("y"))).hasSize(Departure.KEPT);
    assertThat(contradictions()).isEmpty();
  }

  private List<Departure> left(RepositoryName name) throws IOException {
    return catalog.read(name).orElseThrow().manifest().left();
  }

  @Test
  void a_damaged_manifest_hides_no_holder() throws Exception {
    create(catalog, A);
    create(catalog, C);
    byte[] early = store.bytes(A.manifestKey());
    catalog.rename(A, B);
    int inLife = new String(early, StandardCharsets.UTF_8).indexOf(repositoryId(B));
    for (int damaged : new int[] {inLife + 3, early.length / 2}) {
      byte[] bytes = early.clone();
      bytes[damaged] ^= 0x40; // no digit any more
      store.overwrite(A.manifestKey(), bytes);
      NameIndex nameIndex = NameIndex.read(store);
      assertThatThrownBy(() -> nameIndex.holders(repositoryId(B)))
          .isInstanceOf(ManifestException.Corrupt.class)
          .hasMessageContaining(A.manifestKey());
      assertThat(nameIndex.holders(repositoryId(C))).containsExactly(C);
      assertThat(nameIndex.contradictions())
          .extracting(NameIndex.Contradiction::key)
          .containsExactly(A.manifestKey());
    }
    store.overwrite(A.manifestKey(), new byte[10]);
    NameIndex nameIndex = NameIndex.read(store);
    assertThatThrownBy(() -> nameIndex.holders(repositoryId(C)))
        .isInstanceOf(ManifestException.Corrupt.class);
  }

  @Test
  void N7_a_copy_in_any_order_has_one_name_for_each_repository_or_is_refused() throws Exception {
    AtomicInteger sound = new AtomicInteger();
    RandomSeed.forEach(RUNS, seed -> sound.addAndGet(new Run(seed).copy() ? 1 : 0));
    assertThat(sound.get()).isBetween(RUNS / 10, RUNS - RUNS / 50);
  }

  @Test
  void N7_a_repository_that_is_renamed_meanwhile_is_found() throws Exception {
    RandomSeed.forEach(RUNS, seed -> new Run(seed).lookUp());
  }

  @Test
  void N7_a_rename_that_is_finished_while_names_are_asked_gives_a_repository_no_second_name()
      throws Exception {
    create(catalog, A);
    String repositoryId = repositoryId(A);
    for (int asked = 0; asked < 8; asked++) {
      dieAfter(2, A, B); // the old name is marked
      NameIndex nameIndex = NameIndex.read(store);
      AtomicInteger left = new AtomicInteger(asked);
      store.everyGet(
          request -> {
            if (left.getAndDecrement() == 0) {
              catalog.rename(A, B);
            }
            return request.read();
          });
      assertThat(nameIndex.holders(repositoryId)).as("after %d requests", asked).hasSize(1);
      catalog.rename(A, B);
      catalog.rename(B, A);
    }
  }

  /** One store, and what happens in it at random while it is read. */
  private static final class Run {
    private final int seed;
    private final Random random;
    private final ScriptedStore store = new ScriptedStore();
    private final ScriptedStore copy = new ScriptedStore();
    private final RepositoryCatalog catalog = catalog(store);
    private final List<RepositoryName> toCopy = new ArrayList<>(NAMES);
    private final Set<String> living = new HashSet<>();
    private Set<String> atStart = Set.of();
    private Runnable meanwhile = () -> {};
    private boolean inStep;

    Run(int seed) {
      this.seed = seed;
      this.random = new Random(seed);
      Collections.shuffle(toCopy, random);
      store.everyPut(this::put);
      store.everyGet(this::get);
      store.onApplied(this::applied);
    }

    private void applied(ScriptedStore.PutRequest request) {
      Manifest manifest = request.manifest();
      if (manifest.state() instanceof RepositoryState.Deleted) {
        living.remove(manifest.repositoryId());
      } else if (manifest.state() instanceof RepositoryState.Active) {
        living.add(manifest.repositoryId());
      }
    }

    private PutOutcome put(ScriptedStore.PutRequest request) {
      meanwhile.run();
      if (random.nextInt(12) == 0) {
        throw new Crash();
      }
      PutOutcome outcome = request.apply();
      meanwhile.run();
      if (random.nextInt(12) == 0) {
        throw new Crash();
      }
      return outcome;
    }

    private GetResult get(ScriptedStore.GetRequest request) {
      meanwhile.run();
      return request.read();
    }

    private void step() {
      RepositoryName name = NAMES.get(random.nextInt(NAMES.size()));
      try {
        int what = random.nextInt(10);
        if (what < 6) {
          catalog.rename(name, NAMES.get(random.nextInt(NAMES.size())));
        } else if (what < 9) {
          create(catalog, name);
        } else {
          catalog.delete(name);
        }
      } catch (IOException | Crash e) {
        // the caller is told, or dead
      }
    }

    /** Copies one manifest now and then. */
    private void copySome() {
      while (!toCopy.isEmpty() && random.nextInt(6) == 0) {
        if (toCopy.size() == NAMES.size()) {
          atStart = Set.copyOf(living);
        }
        String key = toCopy.remove(0).manifestKey();
        List<String> keys = new ArrayList<>();
        store.list(key, object -> keys.add(object.key()));
        keys.forEach(found -> copy.overwrite(found, store.bytes(found)));
      }
    }

    /** Tests whether the copy is sound; fails if it is not and no check would tell. */
    boolean copy() throws IOException {
      step();
      meanwhile = this::copySome;
      while (!toCopy.isEmpty()) {
        step();
      }
      List<NameIndex.Contradiction> found = NameIndex.read(copy, 1).contradictions();
      if (found.isEmpty()) {
        Set<String> always = new HashSet<>(atStart);
        always.retainAll(living);
        for (String repositoryId : always) {
          assertThat(NameIndex.read(copy, 1).holders(repositoryId)).as("seed %d", seed).hasSize(1);
        }
      }
      return found.isEmpty();
    }

    void lookUp() throws IOException {
      for (int i = 0; i < 4; i++) {
        step();
      }
      Set<String> before = Set.copyOf(living);
      meanwhile = this::stepSometimes;
      NameIndex nameIndex = NameIndex.read(store, 1);
      for (String repositoryId : before) {
        boolean found = !nameIndex.holders(repositoryId).isEmpty();
        assertThat(found || !living.contains(repositoryId)).as("seed %d", seed).isTrue();
      }
    }

    private void stepSometimes() {
      if (!inStep && random.nextInt(2) == 0) {
        inStep = true;
        step();
        inStep = false;
      }
    }
  }
}
