// SPDX-License-Identifier: Apache-2.0
package org.jgits3.damage;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/** Entry of the fuzzer Jazzer. The first byte of an input selects the parser of the rest. */
public final class FuzzTarget {
  /** Bytes that reading the smallest input may allocate. */
  private static final long ALLOCATED = 1 << 20;

  /**
   * Bytes that it may allocate for each byte of the input: a block of the log with one id has some
   * 30 bytes, takes 16 KiB for a table of ids while it is read, and is read three times.
   */
  private static final long ALLOCATED_PER_BYTE = 4 << 10;

  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private FuzzTarget() {}

  /** Reads an input; called by Jazzer. */
  public static void fuzzerTestOneInput(byte[] input) {
    if (input.length > 0) {
      FuzzedParser[] parsers = FuzzedParser.values();
      FuzzedParser parser = parsers[(input[0] & 0xff) % parsers.length];
      read(parser, Arrays.copyOfRange(input, 1, input.length));
    }
  }

  private static void read(FuzzedParser parser, byte[] input) {
    long most = ALLOCATED + ALLOCATED_PER_BYTE * input.length;
    if (allocated(parser, input) > most) {
      // The first time may have loaded classes.
      assertThat(allocated(parser, input))
          .as("bytes that %s allocates for %d", parser, input.length)
          .isLessThan(most);
    }
  }

  private static long allocated(FuzzedParser parser, byte[] input) {
    long before = THREADS.getCurrentThreadAllocatedBytes();
    try {
      parser.read(input);
    } catch (IOException e) {
      assertThat(e).as(parser.name()).hasMessageContaining(FuzzedParser.KEY);
    }
    return THREADS.getCurrentThreadAllocatedBytes() - before;
  }

  /**
   * Writes inputs that are read well, for a fuzzer to begin with.
   *
   * @param sample has the objects
   * @param directory gets a file for each
   */
  static void writeSeeds(StoredSample sample, Path directory) throws Exception {
    FuzzedParser[] parsers = FuzzedParser.values();
    for (int i = 0; i < parsers.length; i++) {
      int n = 0;
      for (byte[] seed : parsers[i].seeds(sample)) {
        ByteArrayOutputStream input = new ByteArrayOutputStream();
        input.write(i);
        input.writeBytes(seed);
        Files.write(directory.resolve(parsers[i] + "-" + n++), input.toByteArray());
      }
      assertThat(n).as("seeds of %s", parsers[i]).isPositive();
    }
  }
}
