// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.memory;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.zip.CRC32C;
import java.util.zip.CheckedInputStream;
import org.jgits3.bench.SuiteContext;
import org.jgits3.bench.process.Leftovers;
import org.jgits3.bench.report.ErrorLine;
import org.jgits3.bench.report.Estimate;
import org.jgits3.bench.report.Figure;
import org.jgits3.bench.report.Row;
import org.jgits3.bench.report.SuiteResult;
import org.jgits3.bench.report.Unit;
import org.jgits3.bench.server.S3Endpoint;
import org.jgits3.bench.server.S3Session;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.s3.S3Client;

/** One run of the suite: all downloads, then all uploads. Used by one thread, once. */
final class MemoryRun {
  static final String GET_258 = "get_258mb_xmx_mb";
  static final String UPLOAD_256 = "upload_256mb_xmx_mb";
  static final String UPLOAD_4G = "upload_4gb_xmx_mb";

  private static final int MIB = 1 << 20;

  /** Approximate memory of the JVM itself. */
  private static final int JVM_MEGABYTES = 12;

  private static final int MOST_MEGABYTES = 4096;
  private static final int MOST_OF_UPLOAD = 256;

  /** Option that turns logging off, which takes heap and belongs to no engine. */
  private static final String WITHOUT_LOGGING =
      "-Dslf4j.provider=org.slf4j.helpers.NOP_FallbackServiceProvider";

  private static final String KEY = "memory/object";

  private final SuiteContext context;
  private final MemoryPlan plan;
  private final S3Endpoint endpoint;
  private final S3Client client;
  private final String bucket;
  private final List<Row> rows = new ArrayList<>();

  /** Rows of the resident memory of processes, which follow the others. */
  private final List<Row> peaks = new ArrayList<>();

  private int uploads;

  /** Arguments of a trial, and the object to check after it has succeeded. */
  private record Task(List<String> arguments, Optional<RemoteObject> written) {}

  /** Makes a task, one for each trial. */
  @FunctionalInterface
  private interface Tasks {
    Task next();
  }

  MemoryRun(SuiteContext context, MemoryPlan plan, S3Endpoint endpoint, S3Client client) {
    this.context = context;
    this.plan = plan;
    this.endpoint = endpoint;
    this.client = client;
    this.bucket = endpoint.bucket(S3Session.SCRATCH);
  }

  SuiteResult run() throws IOException, InterruptedException {
    context.progress().expect(plan.searches());
    RemoteObject object = object(KEY, plan.object());
    int crc32c = prepare(object);
    Map<String, Optional<Estimate>> headline = new LinkedHashMap<>();
    for (Download download : plan.downloads()) {
      Optional<Integer> heap = measure(download, object, crc32c);
      if (download == Download.OURS) {
        put(headline, GET_258, heap);
      }
    }
    for (Upload upload : plan.uploads()) {
      Optional<Integer> heap = measure(upload, plan.upload(), plan.inARow(), 1);
      if (upload.equals(Upload.DEFAULTS)) {
        put(headline, UPLOAD_256, heap);
        // No less can be enough for more bytes.
        int least = heap.orElse(1);
        put(headline, UPLOAD_4G, measure(upload, plan.largeUpload(), plan.inARowIfLarge(), least));
      }
    }
    rows.addAll(peaks);
    return SuiteResult.of("memory", headline, rows, Download.SDK_APACHE5.id());
  }

  private void put(
      Map<String, Optional<Estimate>> headline, String key, Optional<Integer> megabytes) {
    headline.put(key, megabytes.filter(m -> plan.ofFullSize()).map(Estimate::exactly));
  }

  private RemoteObject object(String key, int megabytes) {
    return new RemoteObject(endpoint, bucket, key, (long) megabytes * MIB);
  }

  /** Uploads the object that is downloaded. */
  private int prepare(RemoteObject object) throws IOException {
    context.progress().note("uploads " + plan.object() + " MB");
    TrialProgram.put(Upload.DEFAULTS, object);
    return new Content(object.size()).crc32c();
  }

  private Optional<Integer> measure(Download download, RemoteObject object, int crc32c)
      throws InterruptedException {
    List<String> arguments =
        List.of(
            TrialProgram.GET,
            download.name(),
            object.bucket(),
            object.key(),
            Long.toString(object.size()),
            Integer.toString(crc32c));
    Task task = new Task(arguments, Optional.empty());
    int guess = JVM_MEGABYTES + (int) Math.round(download.arrays() * plan.object());
    String what = "GET of " + plan.object() + " MB, " + plan.inARow() + " in a row";
    // An array of the size of the object has to be there.
    int known = plan.object();
    return search(what, download.id(), guess, known, MOST_MEGABYTES, plan.inARow(), () -> task);
  }

  private Optional<Integer> measure(Upload upload, int megabytes, int inARow, int least)
      throws InterruptedException {
    Tasks tasks =
        () -> {
          RemoteObject object = object("memory/upload-" + ++uploads, megabytes);
          List<String> arguments =
              List.of(
                  TrialProgram.PUT,
                  Integer.toString(upload.partSize()),
                  Integer.toString(upload.buffers()),
                  object.bucket(),
                  object.key(),
                  Long.toString(object.size()));
          return new Task(arguments, Optional.of(object));
        };
    String what = "upload of " + megabytes + " MB, " + inARow + " in a row";
    int guess = Math.max(least, upload.guess());
    return search(what, upload.id(), guess, least, MOST_OF_UPLOAD, inARow, tasks);
  }

  private Optional<Integer> search(
      String what, String engine, int guess, int least, int most, int inARow, Tasks tasks)
      throws InterruptedException {
    String name = "smallest -Xmx, " + what;
    String peakName = "RSS (VmHWM) at it, " + what;
    context.progress().begin(name + ", " + engine);
    Map<Integer, List<Double>> peakOf = new LinkedHashMap<>();
    Bisection bisection =
        new Bisection(
            Math.max(1, (guess - least) / plan.steps()),
            inARow,
            least,
            most,
            megabytes -> {
              Task task = tasks.next();
              HeapTrials.Outcome outcome =
                  trials(task, what + " " + engine).run(megabytes, task.arguments());
              if (outcome.enough() && task.written().isPresent()) {
                verifyAndDelete(task.written().get());
              }
              addPeak(peakOf, megabytes, outcome.peak());
              return outcome.enough();
            });
    try {
      Bisection.Found found = bisection.from(guess);
      context.progress().note(found.megabytes() + " MB after " + found.steps().size() + " JVMs");
      rows.add(Row.of(name, engine, Unit.MEGABYTES, Figure.exactly(found.megabytes())));
      List<Double> peak = peakOf.getOrDefault(found.megabytes(), List.of());
      peaks.add(
          peak.isEmpty()
              ? Row.missing(peakName, engine, Unit.MEGABYTES, "the system does not tell")
              : Row.of(peakName, engine, Unit.MEGABYTES, new Figure(peak)));
      return Optional.of(found.megabytes());
    } catch (IOException | SdkException e) {
      Leftovers.failed();
      context.progress().note("failed: " + ErrorLine.of(e));
      rows.add(Row.failed(name, engine, Unit.MEGABYTES, ErrorLine.of(e)));
      return Optional.empty();
    }
  }

  private HeapTrials trials(Task task, String what) {
    long bytes = Long.parseLong(task.arguments().get(task.arguments().size() - 1));
    long megabytes = task.written().isPresent() ? bytes / MIB : plan.object();
    Duration patience = Duration.ofSeconds(60 + megabytes / 8);
    List<String> options = new ArrayList<>(endpoint.jvmOptions());
    options.add(WITHOUT_LOGGING);
    options.addAll(context.profilerOptions("memory " + what));
    return new HeapTrials(options, patience, context.data().resolve("memory-trial.log"));
  }

  private static void addPeak(
      Map<Integer, List<Double>> peakOf, int megabytes, OptionalLong bytes) {
    if (bytes.isPresent()) {
      peakOf
          .computeIfAbsent(megabytes, m -> new ArrayList<>())
          .add((double) bytes.getAsLong() / MIB);
    }
  }

  private void verifyAndDelete(RemoteObject object) throws IOException {
    CRC32C crc = new CRC32C();
    try (InputStream in = new CheckedInputStream(client.getObject(object.request()), crc)) {
      long bytes = in.transferTo(OutputStream.nullOutputStream());
      if (bytes != object.size() || (int) crc.getValue() != new Content(bytes).crc32c()) {
        throw new IOException(object.key() + ": the server has something else than was uploaded");
      }
    }
    client.deleteObject(b -> b.bucket(object.bucket()).key(object.key()));
  }
}
