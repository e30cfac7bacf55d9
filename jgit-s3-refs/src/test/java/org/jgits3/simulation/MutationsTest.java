// SPDX-License-Identifier: Apache-2.0
package org.jgits3.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import org.jgits3.testing.Holds;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Faults that are put into the library are found, each by its seed in {@link Seeds}. Where a change
 * of the library has changed the runs, other seeds are tried, which takes longer: with {@code
 * -Dmutations.update=true} the first that finds it is kept.
 */
@Holds(
    "ConditionalWrite, CommitLoop, CommitBatch: A commit is unknown only if an attempt is in "
        + "doubt, however many writers there are. Its entry is always looked for, in a tombstone too. "
        + "(A14)")
@Holds(
    "Sweep: A sweep commits its boundary first. It deletes only names up to it that the manifest "
        + "of that commit, or a later one, does not list. (D0, D3, D4)")
@Holds(
    "Compaction, NewSnapshot: A compaction commits only on the tables it began with, and keeps "
        + "exactly the overlay entries that differ from the result (C1 to C3, L2, L4)")
@Holds(
    "RefFold, RefTable: The recent table keeps marks of deleted refs until the base is rewritten. "
        + "A new base has all recent changes. (L3)")
@ExtendWith(Quiet.class)
class MutationsTest {
  private static final int MOST = 40_000;

  private static Seeds seeds;

  @BeforeAll
  static void read() throws IOException {
    seeds = new Seeds();
  }

  @AfterAll
  static void write() throws IOException {
    if (Boolean.getBoolean("mutations.update")) {
      seeds.write(Mutations.ofSimulation());
    }
  }

  @ParameterizedTest
  @MethodSource("org.jgits3.simulation.Mutations#ofSimulation")
  void every_fault_is_found(Mutation mutation) throws Throwable {
    SimulationRun runs = new SimulationRun(mutation.world(), mutation);
    if (finds(runs, seeds.of(mutation))) {
      return;
    }
    OptionalLong seed = OptionalLong.empty();
    for (long next = 1; next <= MOST && seed.isEmpty(); next++) {
      seed = finds(runs, next) ? OptionalLong.of(next) : seed;
    }
    assertThat(seed).as(mutation.toString()).isPresent();
    System.out.println(mutation.name() + " is found by seed " + seed.getAsLong() + " now");
    seeds.put(mutation, seed.getAsLong());
  }

  private static boolean finds(SimulationRun runs, long seed) {
    try {
      runs.run(seed, null);
      return false;
    } catch (AssertionError e) {
      return true;
    } catch (LinkageError e) {
      throw e; // the fault does not fit the code
    } catch (Throwable e) {
      return false; // the library fails, and no rule is broken
    }
  }

  @Test
  void the_library_passes_the_seeds_that_find_the_faults() throws Throwable {
    Map<String, SimulationRun> worlds = new HashMap<>();
    for (Mutation each : Mutations.ofSimulation()) {
      worlds
          .computeIfAbsent(each.world(), world -> new SimulationRun(world, Mutation.NONE))
          .run(seeds.of(each), null);
    }
  }

  @Test
  void mutations_have_names_of_their_own() {
    assertThat(Mutations.all()).extracting(Mutation::name).doesNotHaveDuplicates();
  }

  @Test
  void each_edit_has_a_call_to_replace() throws IOException {
    for (Mutation mutation : Mutations.all()) {
      for (Mutation.Edit edit : mutation.edits()) {
        String[] call = edit.call().split("#", -1);
        int number = call.length == 1 ? 1 : Integer.parseInt(call[1]);
        assertThat(calls(edit, call[0]))
            .as("%s: %s", mutation, edit)
            .anyMatch(count -> count >= number);
      }
    }
  }

  /** Numbers of calls in the methods that an edit concerns. */
  private static Collection<Integer> calls(Mutation.Edit edit, String called) throws IOException {
    Map<String, Integer> calls = new HashMap<>();
    new ClassReader(edit.type())
        .accept(
            new ClassVisitor(Opcodes.ASM9) {
              @Override
              public MethodVisitor visitMethod(
                  int access, String in, String descriptor, String signature, String[] thrown) {
                return new MethodVisitor(Opcodes.ASM9) {
                  @Override
                  public void visitMethodInsn(
                      int opcode, String owner, String name, String type, boolean isInterface) {
                    if (edit.concerns(in) && name.equals(called)) {
                      calls.merge(in + descriptor, 1, Integer::sum);
                    }
                  }
                };
              }
            },
            ClassReader.SKIP_FRAMES);
    return calls.values();
  }
}
