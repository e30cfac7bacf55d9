// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.program;

import java.io.PrintWriter;
import org.jgits3.server.terminal.LogLine;
import org.jgits3.server.terminal.ProgressBar;
import picocli.CommandLine;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/** Prints the reason of a failure in one line on standard error. */
final class OneLineErrors implements IExecutionExceptionHandler, IParameterExceptionHandler {
  private final Program program;

  OneLineErrors(Program program) {
    this.program = program;
  }

  @Override
  public int handleParseException(ParameterException e, String[] args) {
    CommandLine line = e.getCommandLine();
    String command = line.getCommandSpec().qualifiedName();
    print(
        line.getErr(),
        oneLine(e) + (e.getCause() == null ? "; see " + command + " --help" : ""),
        e);
    return ExitCode.USAGE;
  }

  @Override
  public int handleExecutionException(Exception e, CommandLine line, ParseResult result) {
    print(line.getErr(), program.end().isTold() ? toldToStop(e) : oneLine(e), e);
    return ExitCode.SOFTWARE;
  }

  private static String toldToStop(Exception e) {
    boolean saysMore = e.getMessage() != null && !(e instanceof ProgressBar.Stopped);
    return saysMore ? "told to stop: " + oneLine(e) : "told to stop";
  }

  private void print(PrintWriter err, String message, Exception e) {
    err.println("jgit-s3: " + message);
    if (program.debug()) {
      e.printStackTrace(err);
    }
    err.flush();
  }

  /**
   * Removes control characters, which may come from a name or a server and must not reach the
   * terminal.
   */
  private static String oneLine(Exception e) {
    String message = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    return LogLine.printable(message).strip();
  }
}
