// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.program;

import java.io.PrintWriter;
import java.util.Optional;
import org.jgits3.server.terminal.LogLine;
import org.jgits3.server.terminal.Output;
import org.jgits3.server.terminal.ProgressBar;
import picocli.CommandLine;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/** Prints the reason of a failure in one line on standard error. */
final class OneLineErrors implements IExecutionExceptionHandler, IParameterExceptionHandler {
  private static final String READER_GONE = "Broken pipe";

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
    if (e instanceof Output.NotWrittenException) {
      return ExitCode.OK; // but for its output, which Program checks
    }
    print(line.getErr(), program.end().isTold() ? toldToStop(e) : oneLine(e), e);
    return ExitCode.SOFTWARE;
  }

  /**
   * Reports that the output of a command was not written. Says nothing to a pipe whose reader has
   * seen enough, as {@code head}.
   */
  int notWritten(PrintWriter err, Optional<String> reason) {
    if (!reason.equals(Optional.of(READER_GONE))) {
      err.println(
          "jgit-s3: standard output cannot be written: " + reason.orElse("it reports an error"));
      err.flush();
    }
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
