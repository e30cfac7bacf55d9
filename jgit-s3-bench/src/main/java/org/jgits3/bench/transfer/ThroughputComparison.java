// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.transfer;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32C;
import org.jgits3.bench.Effort;
import org.jgits3.bench.SuiteContext;
import org.jgits3.bench.WriteBack;
import org.jgits3.bench.report.Figure;
import org.jgits3.bench.report.Row;
import org.jgits3.bench.report.Unit;
import org.jgits3.bench.server.S3Endpoint;
import org.jgits3.bench.server.S3Session;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.PackUpload;
import org.jgits3.store.PackUploads;
import org.jgits3.store.RangeReader;
import org.jgits3.store.UploadOptions;

/**
 * The library's streams against the bare client of S3, in this JVM and in turns: {@link PackUpload}
 * against parts of a known length that are sent concurrently, {@link RangeReader} against a single
 * plain GET into the same array. The object has 1 GiB (16 MiB with {@link Effort#SMALLEST}), and
 * this JVM needs a heap of that and some 300 MB more.
 *
 * <pre>{@code
 * ThroughputComparison compared = ThroughputComparison.measure(context, s3);
 * rows.addAll(compared.rows());
 * if (compared.isFullSize()) {
 *   headline.put("upload_vs_raw", Optional.of(compared.uploadVsRaw()));
 *   headline.put("range_vs_get", Optional.of(compared.rangeVsGet()));
 * }
 * }</pre>
 *
 * @param megabytes size of the object, in MiB
 * @param uploadVsRaw throughput of the upload, relative to that of the parts; median of the rounds
 * @param rangeVsGet throughput of the ranged read, relative to that of the GET; median of the
 *     rounds
 * @param rows all four, in MB/s
 */
public record ThroughputComparison(
    int megabytes, double uploadVsRaw, double rangeVsGet, List<Row> rows) {
  private static final int MEGABYTE = 1 << 20;
  private static final int MOST_MEGABYTES = 1024;
  private static final int LEAST_MEGABYTES = 16;

  /** Heap in MiB that is needed for all else. */
  private static final int BESIDE_THE_OBJECT = 300;

  /** Bytes that JGit writes at once, at most. */
  private static final int WRITE = 64 << 10;

  private static final String KEY = "throughput";

  /** Keeps a copy of the rows. */
  public ThroughputComparison {
    rows = List.copyOf(rows);
  }

  /**
   * Measures; the object is in the scratch bucket.
   *
   * @param context how much to measure
   * @param s3 server to measure with
   * @return what was measured
   * @throws IOException if a transfer fails, or gives other bytes
   * @throws InterruptedException if the thread was interrupted
   */
  public static ThroughputComparison measure(SuiteContext context, S3Session s3)
      throws IOException, InterruptedException {
    int megabytes =
        context.effort() == Effort.SMALLEST
            ? LEAST_MEGABYTES
            : Math.min(MOST_MEGABYTES, context.maxMegabytes());
    requireHeap(megabytes, Runtime.getRuntime().maxMemory() / MEGABYTE);
    int rounds =
        switch (context.effort()) {
          case SMALLEST -> 1;
          case QUICK -> 5;
          case FULL -> 15;
        };
    S3Endpoint endpoint = s3.endpoint();
    try (ObjectStore store = LibraryStore.open(endpoint, S3Session.SCRATCH);
        RawTransfers raw = new RawTransfers(endpoint, endpoint.bucket(S3Session.SCRATCH))) {
      Closeable profile = context.profiled("streams of " + megabytes + " MB");
      try (profile) {
        return new Run(store, raw, megabytes).rounds(rounds);
      }
    }
  }

  /**
   * Whether the object was as large as it is when nothing limits it.
   *
   * @return false if the ratios are of a smaller one
   */
  public boolean isFullSize() {
    return megabytes >= MOST_MEGABYTES;
  }

  /** Refuses at once: without memory, all that was measured before would be lost. */
  static void requireHeap(int megabytes, long there) throws IOException {
    int needed = megabytes + BESIDE_THE_OBJECT;
    if (there < needed) {
      throw new IOException(
          String.format(
              "a heap of %d MB is too small for an object of %d MB; JGIT_S3_JAVA_OPTS=-Xmx%dm is not",
              there, megabytes, needed));
    }
  }

  /** Something that moves the whole object. */
  @FunctionalInterface
  private interface Transfer {
    void run() throws IOException, InterruptedException;
  }

  private static final class Run {
    private final ObjectStore store;
    private final RawTransfers raw;
    private final String size;
    private final byte[] content;
    private final long checksum;
    private final List<Double> upload = new ArrayList<>();
    private final List<Double> parts = new ArrayList<>();
    private final List<Double> range = new ArrayList<>();
    private final List<Double> get = new ArrayList<>();

    Run(ObjectStore store, RawTransfers raw, int megabytes) {
      this.store = store;
      this.raw = raw;
      this.size = megabytes + " MB";
      this.content = new byte[megabytes * MEGABYTE];
      new Random(megabytes).nextBytes(content);
      this.checksum = checksum(content);
    }

    /** One array is both what is sent and what is received, to bound the heap. */
    ThroughputComparison rounds(int rounds) throws IOException, InterruptedException {
      round(0);
      List.of(upload, parts, range, get).forEach(List::clear); // that was the warm-up
      for (int i = 0; i < rounds; i++) {
        round(i);
      }
      return new ThroughputComparison(
          content.length / MEGABYTE,
          ratio(upload, parts),
          ratio(range, get),
          List.of(
              row("upload of ", "PackUpload", upload),
              row("upload of ", "concurrent parts of known length", parts),
              row("read of ", "RangeReader", range),
              row("read of ", "single GET", get)));
    }

    /** Which of the two that are compared comes first changes from round to round. */
    private void round(int number) throws IOException, InterruptedException {
      if (number % 2 == 0) {
        parts.add(rate(() -> raw.upload(KEY, content, content.length)));
        upload.add(rate(this::upload));
        get();
        range();
      } else {
        upload.add(rate(this::upload));
        parts.add(rate(() -> raw.upload(KEY, content, content.length)));
        range();
        get();
      }
    }

    private void get() throws IOException, InterruptedException {
      Arrays.fill(content, (byte) 0);
      get.add(rate(() -> raw.download(KEY, content)));
      check("a single GET");
    }

    private void range() throws IOException, InterruptedException {
      Arrays.fill(content, (byte) 0);
      range.add(rate(() -> new RangeReader(store).read(KEY, 0, content, 0, content.length)));
      check("RangeReader");
    }

    private void upload() throws IOException {
      try (PackUploads uploads = new PackUploads(store, UploadOptions.DEFAULT)) {
        PackUpload out = uploads.begin(KEY);
        for (int at = 0; at < content.length; at += WRITE) {
          out.write(content, at, Math.min(WRITE, content.length - at));
        }
        out.close();
      }
    }

    private double rate(Transfer transfer) throws IOException, InterruptedException {
      WriteBack.finish();
      long start = System.nanoTime();
      transfer.run();
      return content.length / (double) MEGABYTE / ((System.nanoTime() - start) / 1e9);
    }

    private void check(String who) throws IOException {
      if (checksum(content) != checksum) {
        throw new IOException(who + " did not read what was uploaded");
      }
    }

    private Row row(String what, String engine, List<Double> rates) {
      return Row.of(what + size, engine, Unit.MEGABYTES_PER_SECOND, new Figure(rates));
    }
  }

  private static long checksum(byte[] bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes);
    return crc.getValue();
  }

  /** Median of what the rounds say, each of which met the machine in one state. */
  private static double ratio(List<Double> ours, List<Double> others) {
    List<Double> ratios = new ArrayList<>();
    for (int i = 0; i < ours.size(); i++) {
      ratios.add(ours.get(i) / others.get(i));
    }
    return new Figure(ratios).median();
  }
}
