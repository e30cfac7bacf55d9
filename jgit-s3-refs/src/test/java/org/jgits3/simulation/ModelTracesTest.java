// SPDX-License-Identifier: Apache-2.0
package org.jgits3.simulation;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.eclipse.jgit.annotations.Nullable;
import org.jgits3.testing.Holds;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The traces by which the models of commits and of names break their rules if one is left out, on
 * the library as it is, and on a copy with that fault.
 */
@Holds(
    "Bind, NamePointer, ManifestFile: A name stands for at most one repository. No two "
        + "repositories say one name. (E-m1 to E-m8)")
@Holds("Bind: A killed process blocks no name, and no process finishes what another began (E-m39)")
@Holds(
    "Bind, CommitLoop: A refused or uncommitted operation has no effect, an acknowledged one has "
        + "it (E-m7, E-m25)")
@Holds(
    "RepositoryCatalog: A repository is deleted only by a name that it has at that moment (E-m29)")
@Holds(
    "RepositoryCatalog: Pointers and manifests are never removed, so that late creations fail "
        + "(A11, A12, E-m9, E-m12, E-m13)")
@Holds("CommitLoop: Only the nonce of a batch proves that it was applied (A1, A2, A4b)")
@Holds(
    "CommitBatch, CommitLoop: Pruning drops all writer entries up to a recorded generation. Older "
        + "writes with an attempt in doubt are unknown. (A3, A3b, A4)")
@ExtendWith(Quiet.class)
class ModelTracesTest {
  private static final Path MODELS =
      Path.of(System.getProperty("project.root", ".."), "src", "models");

  private static final Map<String, Mutation> FAULTS =
      Mutations.all().stream().collect(Collectors.toMap(Mutation::name, Function.identity()));

  private static final SimulationRun LIBRARY = new SimulationRun("TraceWorld", Mutation.NONE);

  private static List<Trace> printed(String model) throws IOException {
    return Trace.in(Files.readString(MODELS.resolve(model + ".out")));
  }

  /** All traces for which the library has a rule to leave out. */
  static List<Trace> traces() throws IOException {
    List<Trace> all = new ArrayList<>();
    for (String model : List.of("commit", "commit3", "epochs")) {
      all.addAll(printed(model));
    }
    all.removeIf(trace -> !FAULTS.containsKey(trace.name()));
    assertThat(all).hasSize(30);
    return all;
  }

  @ParameterizedTest
  @MethodSource("traces")
  void trace_breaks_no_rule(Trace trace) throws Throwable {
    List<String> told = new ArrayList<>();
    assertThat(broken(LIBRARY, trace, told)).as(String.join("\n", told)).isNull();
  }

  @ParameterizedTest
  @MethodSource("traces")
  void trace_breaks_a_rule_if_its_fault_is_put_in(Trace trace) throws Throwable {
    SimulationRun faulty = new SimulationRun("TraceWorld", FAULTS.get(trace.name()));
    List<String> told = new ArrayList<>();
    AssertionError broken = broken(faulty, trace, told);
    assertThat(broken).as(String.join("\n", told)).isNotNull().hasNoCause();
  }

  /** Replays a trace, after which the processes go on or die; null if no rule is broken. */
  @Nullable
  private static AssertionError broken(SimulationRun code, Trace trace, List<String> told)
      throws Throwable {
    for (boolean killed : new boolean[] {false, true}) {
      told.add("at the end they " + (killed ? "die" : "go on"));
      try {
        code.replay(trace, killed, told);
      } catch (AssertionError e) {
        told.add(e.toString());
        return e;
      }
    }
    return null;
  }

  @ParameterizedTest
  @ValueSource(strings = {"commit", "commit3", "epochs"})
  void model_prints_its_traces(String model) throws Exception {
    assumeTrue(System.getenv("CI") != null || isOnPath("python3"), "no python3");
    List<Trace> expected = printed(model);
    List<String> command = new ArrayList<>(List.of("python3", model + ".py"));
    expected.forEach(trace -> command.add(trace.name()));
    Process python =
        new ProcessBuilder(command)
            .directory(MODELS.toFile())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    String output = new String(python.getInputStream().readAllBytes(), UTF_8);
    assertThat(python.waitFor()).isZero();
    assertThat(Trace.in(output)).isNotEmpty().isEqualTo(expected);
  }

  private static boolean isOnPath(String program) {
    return Stream.of(System.getenv("PATH").split(File.pathSeparator))
        .anyMatch(directory -> Files.isExecutable(Path.of(directory, program)));
  }
}
