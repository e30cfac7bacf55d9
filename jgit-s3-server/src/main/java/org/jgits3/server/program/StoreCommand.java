// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.program;

import java.io.PrintWriter;
import java.util.concurrent.Callable;
import org.jgits3.server.terminal.Output;
import org.jgits3.server.terminal.ProgressBar;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** Command on the chosen store. */
public abstract class StoreCommand implements Callable<Integer> {
  /** The program, whose options choose the store. */
  @ParentCommand protected Program program;

  /** Output of the command. */
  @Mixin protected Output output;

  @Spec private CommandSpec spec;

  /** Standard output. */
  protected final PrintWriter out() {
    return spec.commandLine().getOut();
  }

  /** Standard error. */
  protected final PrintWriter err() {
    return spec.commandLine().getErr();
  }

  /** Creates the progress bar of the command. */
  protected final ProgressBar progress() {
    return ProgressBar.of(err(), output);
  }

  /** Checks an id of a repository that the user gave. */
  protected final String checkedId(String id) {
    if (!id.matches("[0-9a-f]{32}")) {
      throw usage("--id " + id + ": an id of a repository has 32 hex digits");
    }
    return id;
  }

  /** Creates the exception for options that do not go together, or a value out of bounds. */
  protected final ParameterException usage(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
