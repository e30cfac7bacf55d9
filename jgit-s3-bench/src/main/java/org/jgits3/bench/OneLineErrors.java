// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench;

import java.io.PrintWriter;
import java.util.function.BooleanSupplier;
import org.jgits3.bench.process.Leftovers;
import org.jgits3.bench.report.ErrorLine;
import picocli.CommandLine;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/**
 * Prints the reason of a failure in one line on standard error, and gives the exit code: 1 if the
 * program failed, 2 for wrong usage.
 *
 * @param program name of its module
 * @param help command that prints its options
 * @param debug tells if stack traces are wanted
 */
public record OneLineErrors(String program, String help, BooleanSupplier debug)
    implements IExecutionExceptionHandler, IParameterExceptionHandler {
  /**
   * Returns a program, ready to be executed.
   *
   * @param command its options
   * @param program name of its module
   * @param name name of a command of it, with a space behind; empty for the only one
   * @param debug tells if stack traces are wanted
   * @return the program
   */
  public static CommandLine commandLine(
      Object command, String program, String name, BooleanSupplier debug) {
    OneLineErrors errors = new OneLineErrors(program, program + "/run " + name + "--help", debug);
    CommandLine line = new CommandLine(command);
    line.setParameterExceptionHandler(errors);
    line.setExecutionExceptionHandler(errors);
    return line;
  }

  @Override
  public int handleParseException(ParameterException e, String[] args) {
    return print(e.getCommandLine(), e, "; see " + help, ExitCode.USAGE);
  }

  @Override
  public int handleExecutionException(Exception e, CommandLine line, ParseResult result) {
    return print(
        line, e, "", e instanceof WrongUsageException ? ExitCode.USAGE : ExitCode.SOFTWARE);
  }

  private int print(CommandLine line, Exception e, String hint, int code) {
    Leftovers.proceed(); // the end of the JVM explains itself
    PrintWriter err = line.getErr();
    err.println(program + ": " + ErrorLine.of(e) + hint);
    if (debug.getAsBoolean()) {
      e.printStackTrace(err);
    }
    err.flush();
    return code;
  }
}
