// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.table;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.util.NB;
import org.jgits3.testing.ForkedJvm;
import org.jgits3.testing.Holds;
import org.jgits3.testing.RandomSeed;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of what folds into two levels write, and of the memory that they take. */
@Holds(
    "RefFold: Bytes of tables uploaded for each update grow with the square root of the number of "
        + "refs")
@Timeout(600)
class FoldCostTest {
  private static final int MIB = 1 << 20;

  /** Changes in a fold, of refs with such names: they have 64 KiB in the overlay. */
  private static final int CHANGES = 924;

  private static final int CHUNK = 10_000;

  private static String name(int i) {
    String number = Integer.toString(10_000_000 + i).substring(1); // a format is slow
    return "refs/changes/" + number.substring(0, 2) + "/" + number + "/1";
  }

  private static ObjectId id(int i) {
    byte[] raw = new byte[20];
    NB.encodeInt32(raw, 0, i + 1);
    return ObjectId.fromRaw(raw);
  }

  private static RefDelta changes(IntStream ascending, int count) {
    RefDelta.Builder changes = new RefDelta.Builder(count);
    ascending.forEach(i -> changes.add(name(i), TestTables.direct(id(i))));
    return changes.build();
  }

  /** A table of so many refs, which takes little more memory than it has bytes. */
  private static PackedRefsTable base(int refs) throws IOException {
    byte[] header = PackedRefsTable.HEADER.getBytes(US_ASCII);
    byte[] bytes = Arrays.copyOf(header, header.length + refs * lineBytes());
    int at = header.length;
    for (int from = 0; from < refs; from += CHUNK) {
      RefDelta chunk = changes(IntStream.range(from, from + CHUNK), CHUNK);
      for (int i = 0; i < CHUNK; i++) {
        at = chunk.writeLines(i, bytes, at);
      }
    }
    return TestTables.parsed("base", bytes, refs);
  }

  private static int lineBytes() {
    return 40 + 1 + name(0).length() + 1;
  }

  private static RefDelta someOf(int refs, Random random) {
    int[] chosen = random.ints(0, refs).distinct().limit(CHANGES).sorted().toArray();
    return changes(IntStream.of(chosen), CHANGES);
  }

  private static RefTable after(RefFold fold) throws IOException {
    return fold.with(fold.merge().build());
  }

  /** Bytes of tables for each changed ref, from a new base to a later one. */
  private static long bytesPerChange(int refs, int bases) throws IOException {
    RefTable table = new RefTable(base(refs));
    Random random = new Random(refs);
    long bytes = 0;
    long folds = 0;
    for (int made = 0; made < bases; folds++) {
      RefFold fold = RefFold.of(table, someOf(refs, random));
      bytes += fold.merge().size();
      made += fold.isBase() ? 1 : 0;
      table = after(fold);
      assertThat(table.size()).isEqualTo(refs);
    }
    long each = bytes / (folds * CHANGES);
    System.out.printf(
        "%,d refs of %d bytes: %,d bytes of tables for each of %,d changes, %d folds, %d bases%n",
        refs, lineBytes(), each, folds * CHANGES, folds, bases);
    return each;
  }

  /** What {@link RefFold} says of n changes in a fold, N refs, and r of them at most recent. */
  private static double computed(double refs) {
    double recent = Math.sqrt(2 * RefFold.CHANGES * refs);
    return lineBytes() * (refs / recent + recent / (2 * CHANGES));
  }

  @Test
  void half_a_million_refs_take_a_fifteenth_of_what_one_table_takes() throws IOException {
    long bytes = bytesPerChange(500_000, RandomSeed.count(1, 3));
    assertThat(bytes).isLessThan((long) (1.05 * computed(500_000)));
    assertThat(bytes).isLessThan(500_000L * lineBytes() / CHANGES / 15);
  }

  @Tag("long") // half a million are like it
  @Test
  void four_million_refs_take_a_fortieth_of_what_one_table_takes() throws IOException {
    long bytes = bytesPerChange(4_000_000, 2);
    assertThat(bytes).isLessThan((long) (1.05 * computed(4_000_000)));
    assertThat(bytes).isLessThan(4_000_000L * lineBytes() / CHANGES / 40);
  }

  @Test
  void folds_of_90000_recent_refs_need_little_more_heap_than_of_the_base() throws Exception {
    int refs = 1_000_000;
    long base = (long) refs * (lineBytes() + Integer.BYTES);
    long heap = base / MIB + 40;
    assertThat(heap).as("less than two bases").isLessThan(2 * base / MIB - 20);
    // nearly all of it for old objects, as a base soon is, whatever share a JDK would choose
    List<String> options = List.of("-Xmx" + heap + "m", "-Xmn8m", "-XX:+UseSerialGC");
    assertThat(ForkedJvm.run(options, FoldingProcess.class, String.valueOf(refs)))
        .endsWith("folded");
  }

  /** A process that folds into both levels, and says so. */
  static final class FoldingProcess {
    private static final int RECENT = 90_000;

    private FoldingProcess() {}

    /**
     * Folds.
     *
     * @param args number of refs
     */
    public static void main(String[] args) throws IOException {
      int refs = Integer.parseInt(args[0]);
      RefTable table = new RefTable(base(refs));
      RefDelta recent = changes(IntStream.range(0, RECENT).map(i -> i * 11), RECENT);
      table = after(RefFold.intoRecent(table, recent));
      RefDelta more = someOf(refs, new Random(1));
      RefFold small = RefFold.intoRecent(table, more);
      write(small);
      RefTable after = after(small);
      RefFold large = RefFold.intoBase(after, more);
      write(large);
      System.out.println(after.recent().size() > RECENT ? "folded" : "nothing recent");
    }

    private static void write(RefFold fold) throws IOException {
      AtomicLong bytes = new AtomicLong();
      fold.merge()
          .writeTo(
              new OutputStream() {
                @Override
                public void write(int b) {
                  bytes.incrementAndGet();
                }

                @Override
                public void write(byte[] b, int offset, int length) {
                  bytes.addAndGet(length);
                }
              });
      if (bytes.get() != fold.merge().size()) {
        throw new IllegalStateException(bytes + " bytes");
      }
    }
  }
}
