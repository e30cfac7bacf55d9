// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.program;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.eclipse.jgit.errors.ConfigInvalidException;
import org.jgits3.S3RepositoryManager;
import org.jgits3.S3Settings;
import org.jgits3.Stores;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.server.terminal.Logging;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.StoreListener;
import org.jgits3.store.StoreLocation;
import picocli.CommandLine;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** The global options of the program, and what they choose: the store, and how much is logged. */
public abstract class Program implements Runnable {
  @Spec private CommandSpec spec;

  @Option(
      names = "--config",
      paramLabel = "FILE",
      scope = ScopeType.INHERIT,
      description = "jgit config file with [s3] sections; default: the user's jgit config.")
  private Path config;

  @Option(
      names = "--store",
      paramLabel = "URL",
      scope = ScopeType.INHERIT,
      description = "file:DIR or s3://bucket/prefix; default: s3.store, else file:./data.")
  private String store;

  @Option(
      names = "--metrics-file",
      paramLabel = "FILE",
      scope = ScopeType.INHERIT,
      description =
          "Write there when the command ended and its exit code, for the textfile collector of"
              + " Prometheus' node exporter.")
  private Path metricsFile;

  private boolean debug;

  private final ShutdownHook end = new ShutdownHook();

  /**
   * Creates the command line of the program. Errors are one line on standard error, and the exit
   * code is 0, 1 (failed) or 2 (wrong usage). A command whose output could not be written has
   * failed.
   *
   * @param commands classes of its commands
   * @return the command line
   */
  protected final CommandLine line(List<Class<?>> commands) {
    StandardOutput stdout = new StandardOutput();
    OneLineErrors errors = new OneLineErrors(this);
    CommandLine line =
        new CommandLine(this) {
          @Override
          public int execute(String... args) {
            try {
              Instant began = Instant.now();
              int exitCode = super.execute(args);
              int told =
                  exitCode == ExitCode.OK && getOut().checkError()
                      ? errors.notWritten(getErr(), stdout.failure())
                      : exitCode;
              return metricsFile == null ? told : measured(this, began, told);
            } finally {
              end.close();
            }
          }
        };
    commands.forEach(line::addSubcommand);
    // Names are UTF-8 whatever the locale.
    line.setOut(new PrintWriter(new OutputStreamWriter(stdout, StandardCharsets.UTF_8)));
    line.setErr(
        new PrintWriter(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8));
    line.setExecutionExceptionHandler(errors);
    line.setParameterExceptionHandler(errors);
    line.setCaseInsensitiveEnumValuesAllowed(true);
    line.registerConverter(RepositoryName.class, Program::name);
    line.registerConverter(InetSocketAddress.class, new ListenAddress());
    return line;
  }

  /**
   * Writes how the command ended; returns the exit code, which is that of a failure if it cannot.
   */
  private int measured(CommandLine line, Instant began, int exitCode) {
    ParseResult parsed = line.getParseResult();
    if (parsed == null || !parsed.hasSubcommand()) {
      return exitCode;
    }
    try {
      String command = parsed.subcommand().commandSpec().name();
      CommandMetrics.write(metricsFile.toAbsolutePath(), command, began, exitCode);
      return exitCode;
    } catch (IOException e) {
      String why = e instanceof NoSuchFileException ? "no such directory" : e.getMessage();
      line.getErr().println("jgit-s3: --metrics-file " + metricsFile + " is not written: " + why);
      return Math.max(exitCode, ExitCode.SOFTWARE);
    }
  }

  private static RepositoryName name(String value) {
    try {
      return RepositoryName.of(value);
    } catch (IllegalArgumentException e) {
      throw new TypeConversionException(e.getMessage());
    }
  }

  /** Runs without a command. */
  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "no command given; see jgit-s3 --help");
  }

  @Option(
      names = "--debug",
      scope = ScopeType.INHERIT,
      description = "Log more, and print the stack trace of an error.")
  void setDebug(boolean on) {
    debug = on;
    if (on) {
      Logging.debug();
    }
  }

  /**
   * Tests whether the user chose a store.
   *
   * @return true if an option or a file names it
   */
  public final boolean storeChosen() {
    return store != null || config != null;
  }

  /**
   * Hook that ends the command when the process is told to stop.
   *
   * @return the hook of this process
   */
  public final ShutdownHook end() {
    return end;
  }

  /** Tests whether stack traces are requested. */
  boolean debug() {
    return debug;
  }

  /**
   * Settings chosen by the user.
   *
   * @return the settings
   * @throws ParameterException if they are not valid
   */
  public final S3Settings settings() {
    try {
      S3Settings settings = config == null ? S3Settings.ofUser() : S3Settings.load(config);
      return store == null ? settings : settings.withLocation(StoreLocation.parse(store));
    } catch (IOException | ConfigInvalidException | IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }

  /**
   * Checks that large packs can be received, before there is one, if the user has chosen where.
   *
   * @param settings settings chosen by the user
   * @throws ParameterException if the directory for them is none, or this user cannot write there
   */
  public final void checkSpillDirectory(S3Settings settings) {
    Path directory = settings.spillDirectory().toAbsolutePath();
    boolean chosen = !directory.equals(Path.of(System.getProperty("java.io.tmpdir")));
    if (chosen && (!Files.isDirectory(directory) || !Files.isWritable(directory))) {
      throw new ParameterException(
          spec.commandLine(),
          "[s3 \"receive\"] spillDirectory "
              + directory
              + ": no directory that this user can write to; create it, or name another",
          new NotDirectoryException(directory.toString()));
    }
  }

  /**
   * Opens the repositories of the chosen store for reading, without a probe and so that nothing can
   * be written; the caller closes them.
   *
   * @return the repositories
   * @throws IOException if the store cannot be used
   */
  public final S3RepositoryManager openToRead() throws IOException {
    return openToRead((kind, outcome, bytes, nanos) -> {});
  }

  /**
   * Opens the repositories of the chosen store as {@link #openToRead()}.
   *
   * @param listener receives each request to the store
   * @return the repositories
   * @throws IOException if the store cannot be used
   */
  public final S3RepositoryManager openToRead(StoreListener listener) throws IOException {
    S3Settings settings = settings();
    return S3RepositoryManager.openReadOnly(store(settings, listener), settings);
  }

  /**
   * Opens the repositories of the chosen store for writing; the caller closes them.
   *
   * @return the repositories
   * @throws IOException if the store cannot be used
   */
  public final S3RepositoryManager open() throws IOException {
    return open(settings(), (kind, outcome, bytes, nanos) -> {});
  }

  /**
   * Opens the repositories of a store for writing; the caller closes them.
   *
   * @param settings location of the store, and how to reach it
   * @param listener receives each request to the store
   * @return the repositories
   * @throws org.jgits3.store.UnsafeStoreException if the store does not honour conditional writes
   */
  public final S3RepositoryManager open(S3Settings settings, StoreListener listener)
      throws IOException {
    return S3RepositoryManager.open(store(settings, listener), settings);
  }

  private static ObjectStore store(S3Settings settings, StoreListener listener) throws IOException {
    return Stores.observed(Stores.open(settings.location(), settings.options()), listener);
  }
}
