// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.transfer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import org.jgits3.bench.Effort;
import org.jgits3.bench.Suite;
import org.jgits3.bench.SuiteContext;
import org.jgits3.bench.process.Installer;
import org.jgits3.bench.process.Leftovers;
import org.jgits3.bench.process.ScratchDirectory;
import org.jgits3.bench.report.ErrorLine;
import org.jgits3.bench.report.Row;
import org.jgits3.bench.report.SuiteResult;
import org.jgits3.bench.report.Unit;
import org.jgits3.bench.server.S3Session;
import org.jgits3.store.ObjectStore;

/**
 * Uploads and downloads of large files beside other tools: whole processes, start-up included, on
 * the same server and the same files. The streams without a process around them are a part of the
 * suite {@code git}: {@link ThroughputComparison}.
 */
public final class TransferSuite implements Suite {
  private static final int[] MEGABYTES = {128, 256, 512, 1024, 2048, 4096};
  private static final int[] MEGABYTES_IF_QUICK = {128, 256, 1024};
  private static final int SMALLEST = 16;

  /** A tool that is slower than this, in MiB a second, beside a minute, is taken for hung. */
  private static final int SLOWEST = 4;

  /** Label used if no tool can be measured. */
  private static final String ALL = "all tools";

  /**
   * Maximum number of copies of a file on the disk: the source, and an object and its parts or a
   * copy.
   */
  private static final int COPIES = 3;

  /** Other room on the disk that a case needs, in MiB. */
  private static final int BESIDE_COPIES = 512;

  @Override
  public String name() {
    return "transfer";
  }

  @Override
  public String about() {
    return "How fast do large files reach S3 and come back? Beside the AWS CLI, rclone and mc. 25 min up to 2 GiB; quick: 4.";
  }

  @Override
  public List<String> headlineKeys() {
    return TransferFigures.KEYS;
  }

  @Override
  public SuiteResult run(SuiteContext context) throws IOException, InterruptedException {
    if (context.effort() != Effort.SMALLEST) {
      installPeers(context);
    }
    try (ScratchDirectory scratch = ScratchDirectory.create(context.data().resolve("transfer"));
        S3Session s3 = context.openS3();
        ObjectStore store = s3.endpoint().store(s3.endpoint().bucket(S3Session.SCRATCH))) {
      Path programs = context.root().resolve("target/tools");
      Tools tools =
          new Tools(programs, scratch.path(), s3.endpoint(), what -> context.profilerOptions(what));
      archiveClasses(context, tools, store, scratch.path());
      return new Measuring(context, s3, store, scratch.path(), tools.all(), new ArrayList<>())
          .run();
    }
  }

  /**
   * Installs the other tools. One that cannot be installed is missing in the results, and the
   * installer prints the reason.
   */
  private static void installPeers(SuiteContext context) throws InterruptedException {
    Path installer = context.root().resolve("etc/bench/peers");
    try {
      context.progress().note(installer + " " + Installer.run(installer));
    } catch (IOException e) {
      context.progress().note(e.getMessage());
    }
  }

  private static void archiveClasses(
      SuiteContext context, Tools tools, ObjectStore store, Path directory)
      throws IOException, InterruptedException {
    SourceFile small = SourceFile.generate(directory.resolve("small"), SMALLEST);
    LibraryTransfer.upload(store, "small", small.path());
    Path downloaded = directory.resolve("downloaded");
    for (Direction direction : Direction.values()) {
      Path file = direction == Direction.UPLOAD ? small.path() : downloaded;
      try {
        tools.archiveClasses(direction, file, "small");
      } catch (IOException e) {
        context.progress().note(e.getMessage());
      }
    }
    Files.deleteIfExists(downloaded);
    Files.delete(small.path());
    store.delete(List.of("small"));
  }

  /** All sizes, the smallest first. */
  private record Measuring(
      SuiteContext context,
      S3Session s3,
      ObjectStore store,
      Path directory,
      List<Tool> tools,
      List<Row> rows) {
    /** A size for which the machine is too small ends it; those before are judged. */
    SuiteResult run() throws IOException, InterruptedException {
      List<Integer> sizes = sizes(context.effort(), context.maxMegabytes());
      context.progress().expect(sizes.size() * Direction.values().length);
      List<Integer> measured = new ArrayList<>();
      for (int megabytes : sizes) {
        Optional<String> tooLarge =
            tooLarge(megabytes, Files.getFileStore(directory).getUsableSpace() >> 20);
        if (tooLarge.isPresent() && !measured.isEmpty()) {
          without(megabytes, title -> Row.missing(title, ALL, Unit.NANOSECONDS, tooLarge.get()));
          continue;
        }
        try {
          rows.addAll(measure(megabytes));
          measured.add(megabytes);
        } catch (IOException e) {
          Leftovers.failed();
          if (measured.isEmpty()) {
            throw e;
          }
          without(megabytes, title -> Row.failed(title, ALL, Unit.NANOSECONDS, ErrorLine.of(e)));
          break;
        }
      }
      TransferFigures figures = new TransferFigures(rows, measured);
      SuiteResult result = SuiteResult.of("transfer", figures.headline(), rows, Tools.AWS_CLI);
      return measured.get(measured.size() - 1) >= TransferFigures.LEAST_TO_BE_JUDGED
          ? result
          : result.withoutHeadline(TransferFigures.KEYS, "of small objects start-up is all");
    }

    /** Says why a size is not measured. */
    private void without(int megabytes, Function<String, Row> why) {
      for (Direction direction : Direction.values()) {
        Row row = why.apply(TransferCase.title(direction, megabytes));
        context.progress().note(row.name() + ": " + row.missing());
        rows.add(row);
      }
    }

    /** Both directions of a size. */
    private List<Row> measure(int megabytes) throws IOException, InterruptedException {
      List<Row> both = new ArrayList<>();
      SourceFile source = SourceFile.generate(directory.resolve("source"), megabytes);
      for (Direction direction : Direction.values()) {
        context.progress().begin(TransferCase.title(direction, megabytes));
        if (direction == Direction.DOWNLOAD) {
          store.delete(List.of("uploaded"));
          LibraryTransfer.upload(store, "source", source.path());
        }
        TransferCase measured =
            new TransferCase(
                direction,
                source,
                store,
                s3::processorTime,
                directory,
                Duration.ofSeconds(60 + megabytes / SLOWEST));
        both.addAll(measured.run(tools, rounds(context.effort())));
      }
      store.delete(List.of("source"));
      Files.delete(source.path());
      return both;
    }
  }

  /**
   * Size of the largest object that is transferred.
   *
   * @param effort how much is measured
   * @param most largest size that is allowed, in MiB
   * @return its size, in MiB
   */
  public static int largest(Effort effort, int most) {
    List<Integer> sizes = sizes(effort, most);
    return sizes.get(sizes.size() - 1);
  }

  /**
   * Explains the size that does not fit on the disk.
   *
   * @param megabytes size of the object
   * @param free room on the disk, in MiB
   * @return one line; empty if there is room enough
   */
  static Optional<String> tooLarge(int megabytes, long free) {
    long needed = COPIES * (long) megabytes + BESIDE_COPIES;
    return free >= needed
        ? Optional.empty()
        : Optional.of(
            String.format(Locale.ROOT, "needs %,d MB of disk, %,d are free", needed, free));
  }

  private static List<Integer> sizes(Effort effort, int most) {
    if (effort == Effort.SMALLEST) {
      return List.of(SMALLEST);
    }
    int[] all = effort == Effort.QUICK ? MEGABYTES_IF_QUICK : MEGABYTES;
    List<Integer> sizes = Arrays.stream(all).filter(size -> size <= most).boxed().toList();
    return sizes.isEmpty() ? List.of(most) : sizes;
  }

  private static int rounds(Effort effort) {
    return switch (effort) {
      case SMALLEST -> 1;
      case QUICK -> 2;
      case FULL -> 6;
    };
  }
}
