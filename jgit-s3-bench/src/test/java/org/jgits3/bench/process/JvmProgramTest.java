// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JvmProgramTest {
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  @TempDir private Path directory;

  /** Says what it was started with. */
  static final class Echo {
    public static void main(String[] args) {
      System.out.println(System.getProperty("said") + " " + String.join(",", args));
      System.err.println("an error");
      System.exit(3);
    }
  }

  /** Never ends. */
  static final class Hanging {
    public static void main(String[] args) throws Exception {
      Files.writeString(Path.of(args[0]), Long.toString(ProcessHandle.current().pid()));
      new CountDownLatch(1).await();
    }
  }

  @Test
  void options_and_arguments_arrive_and_output_and_exit_code_come_back() throws Exception {
    Path errors = directory.resolve("errors");
    JvmProgram program =
        new JvmProgram(List.of("-Dsaid=hello"), Echo.class, List.of("a", "", "b c"));

    assertThat(program.run(PATIENCE, errors)).contains(new JvmProgram.Ended(3, "hello a,,b c"));
    assertThat(errors).content().isEqualToIgnoringNewLines("an error");
  }

  @Test
  void program_that_does_not_end_in_time_is_ended() throws Exception {
    Path pid = directory.resolve("pid");
    JvmProgram program = new JvmProgram(List.of(), Hanging.class, List.of(pid.toString()));

    for (int seconds : List.of(5, 30, 120)) { // more if it was not even begun
      Duration limit = Duration.ofSeconds(seconds);
      assertThat(program.run(limit, directory.resolve("errors"))).isEmpty();
      if (Files.exists(pid) && Files.size(pid) > 0) {
        break;
      }
    }
    assertThat(ProcessHandle.of(Long.parseLong(Files.readString(pid)))).isEmpty();
  }
}
