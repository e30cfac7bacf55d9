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
import org.jgits3.bench.FreeMemory;
import org.jgits3.bench.SuiteContext;
import org.jgits3.bench.WriteBack;
import org.jgits3.bench.report.Estimate;
import org.jgits3.bench.report.Figure;
import org.jgits3.bench.report.Row;
import org.jgits3.bench.report.Unit;
import org.jgits3.bench.server.S3Endpoint;
import org.jgits3.bench.server.S3Session;
import org.jgits3.internal.store.read.RangeReader;
import org.jgits3.internal.store.upload.PackUpload;
import org.jgits3.internal.store.upload.PackUploads;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.UploadOptions;

/**
 * The library's streams against the bare client of S3, in this JVM and in turns: {@link PackUpload}
 * against parts of a known length that are sent concurrently, {@link RangeReader} against a single
 * plain GET into the same array. The object has 1 GiB (16 MiB with {@link Effort#SMALLEST}), and
 * this JVM needs a heap of that and some 300 MB more. A read takes a fraction of a second and
 * wavers by half of it with what the two processors happen to do, so that there are many rounds of
 * them; an upload takes some seconds.
 *
 * @param megabytes size of the object, in MiB
 * @param uploadVsRaw throughput of the upload, relative to that of the parts in the same round;
 *     median of the rounds
 * @param rangeVsGet throughput of the ranged read, relative to that of the GET in the same round;
 *     median of the rounds
 * @param rows all four, in MB/s
 */
public record ThroughputComparison(
    int megabytes, Estimate uploadVsRaw, Estimate rangeVsGet, List<Row> rows) {
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
    Rounds rounds = Rounds.of(context.effort());
    S3Endpoint endpoint = s3.endpoint();
    try (ObjectStore store = endpoint.store(endpoint.bucket(S3Session.SCRATCH));
        RawTransfers raw = new RawTransfers(endpoint, endpoint.bucket(S3Session.SCRATCH))) {
      Closeable profile = context.profiled("streams of " + megabytes + " MB");
      try (profile) {
        return new Run(store, raw, megabytes).measure(rounds);
      }
    }
  }

  /**
   * Tests whether the object had its full size.
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

  /**
   * Number of rounds; the first ones do not count.
   *
   * @param uploadWarmups rounds of uploads that do not count
   * @param uploads rounds of uploads
   * @param readWarmups rounds of reads that do not count
   * @param reads rounds of reads
   */
  private record Rounds(int uploadWarmups, int uploads, int readWarmups, int reads) {
    static Rounds of(Effort effort) {
      return switch (effort) {
        case SMALLEST -> new Rounds(1, 1, 1, 1);
        case QUICK -> new Rounds(1, 5, 3, 21);
        case FULL -> new Rounds(1, 15, 3, 61);
      };
    }
  }

  /** Something that moves the whole object. */
  @FunctionalInterface
  private interface Transfer {
    void run() throws IOException, InterruptedException;
  }

  /**
   * One of two that are compared.
   *
   * @param engine its name
   * @param transfer what it does, and what it takes to do it anew
   * @param rates what it reached in each round, in MB/s
   */
  private record Side(String engine, Timed transfer, List<Double> rates) {}

  /** Does a transfer, and times it without what is done around it. */
  @FunctionalInterface
  private interface Timed {
    double rate() throws IOException, InterruptedException;
  }

  private static final class Run {
    private final ObjectStore store;
    private final RawTransfers raw;
    private final String size;
    private final byte[] content;
    private final long checksum;

    Run(ObjectStore store, RawTransfers raw, int megabytes) {
      this.store = store;
      this.raw = raw;
      this.size = megabytes + " MB";
      this.content = new byte[megabytes * MEGABYTE];
      new Random(megabytes).nextBytes(content);
      this.checksum = checksum(content);
    }

    /** One array is both what is sent and what is received, to bound the heap. */
    ThroughputComparison measure(Rounds rounds) throws IOException, InterruptedException {
      Side upload = new Side("PackUpload", () -> write(this::upload), new ArrayList<>());
      Side parts =
          new Side(
              "concurrent parts of known length",
              () -> write(() -> raw.upload(KEY, content, content.length)),
              new ArrayList<>());
      Side range = new Side("RangeReader", () -> read(this::range), new ArrayList<>());
      Side get =
          new Side("single GET", () -> read(() -> raw.download(KEY, content)), new ArrayList<>());
      inTurns(rounds.uploadWarmups(), rounds.uploads(), parts, upload);
      inTurns(rounds.readWarmups(), rounds.reads(), get, range);
      return new ThroughputComparison(
          content.length / MEGABYTE,
          ratio(upload, parts),
          ratio(range, get),
          List.of(
              row("upload of ", upload),
              row("upload of ", parts),
              row("read of ", range),
              row("read of ", get)));
    }

    /** Measures both sides in each round, the first one in turns. */
    private static void inTurns(int warmups, int rounds, Side one, Side other)
        throws IOException, InterruptedException {
      for (int i = 0; i < warmups + rounds; i++) {
        for (Side side : i % 2 == 0 ? List.of(one, other) : List.of(other, one)) {
          double rate = side.transfer().rate();
          if (i >= warmups) {
            side.rates().add(rate);
          }
        }
      }
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

    private void range() throws IOException {
      new RangeReader(store).read(KEY, 0, content, 0, content.length);
    }

    /** The server has the content twice in the page cache: in parts, and put together. */
    private double write(Transfer transfer) throws IOException, InterruptedException {
      WriteBack.finish();
      FreeMemory.touch(2L * content.length);
      return rate(transfer);
    }

    private double read(Transfer transfer) throws IOException, InterruptedException {
      Arrays.fill(content, (byte) 0);
      double rate = rate(transfer);
      if (checksum(content) != checksum) {
        throw new IOException("what was read is not what was uploaded");
      }
      return rate;
    }

    private double rate(Transfer transfer) throws IOException, InterruptedException {
      WriteBack.finish();
      long start = System.nanoTime();
      transfer.run();
      return content.length / (double) MEGABYTE / ((System.nanoTime() - start) / 1e9);
    }

    private Row row(String what, Side side) {
      return Row.of(
          what + size, side.engine(), Unit.MEGABYTES_PER_SECOND, new Figure(side.rates()));
    }
  }

  private static long checksum(byte[] bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes);
    return crc.getValue();
  }

  /** Of what the rounds say, each of which met the machine in one state. */
  private static Estimate ratio(Side ours, Side other) {
    List<Double> ratios = new ArrayList<>();
    for (int i = 0; i < ours.rates().size(); i++) {
      ratios.add(ours.rates().get(i) / other.rates().get(i));
    }
    return Estimate.median(new Figure(ratios));
  }
}
