// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Random;
import org.jgits3.store.ObjectVersion;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileLandingTest {
  private static final int LENGTH = 5 * FileLanding.PIECE + 17;
  private static final int POSITION = 1000;
  private static final ObjectVersion VERSION = new ObjectVersion("\"v\"");

  @TempDir Path directory;

  private final byte[] expected = bytes();

  private static byte[] bytes() {
    byte[] bytes = new byte[LENGTH];
    new Random(1).nextBytes(bytes);
    return bytes;
  }

  private FileChannel open() throws IOException {
    return FileChannel.open(
        directory.resolve("landed"), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
  }

  private byte[] landed() throws IOException {
    byte[] file = Files.readAllBytes(directory.resolve("landed"));
    return Arrays.copyOfRange(file, POSITION, file.length);
  }

  /** Bytes arrive in an array, some at a time. */
  private void arrive(FileLanding landing, byte[] range, int most, int until) {
    landing.begins(VERSION);
    for (int at = 0; at < until; ) {
      int n = Math.min(most, until - at);
      System.arraycopy(expected, at, range, at, n);
      at += n;
      landing.until(at);
    }
  }

  private void lands(int most) throws IOException {
    byte[] range = new byte[LENGTH];
    try (FileChannel out = open()) {
      FileLanding landing = new FileLanding(out, POSITION, range);
      arrive(landing, range, most, LENGTH);
      landing.end();
    }
    assertThat(landed()).isEqualTo(expected);
  }

  @Test
  void a_range_that_arrives_in_little_is_written_to_its_place() throws IOException {
    lands(1000);
  }

  @Test
  void a_range_that_arrives_at_once_is_written_to_its_place() throws IOException {
    lands(LENGTH);
  }

  @Test
  void whole_pieces_are_in_the_file_before_the_range_ends() throws IOException {
    byte[] range = new byte[LENGTH];
    try (FileChannel out = open()) {
      arrive(new FileLanding(out, POSITION, range), range, 1000, 2 * FileLanding.PIECE);
      assertThat(landed()).isEqualTo(Arrays.copyOf(expected, 2 * FileLanding.PIECE));
    }
  }

  @Test
  void a_range_that_begins_again_is_written_again() throws IOException {
    byte[] range = new byte[LENGTH];
    byte[] other = new byte[LENGTH];
    try (FileChannel out = open()) {
      FileLanding landing = new FileLanding(out, POSITION, range);
      landing.begins(VERSION);
      System.arraycopy(other, 0, range, 0, LENGTH);
      landing.until(3 * FileLanding.PIECE);
      arrive(landing, range, 1000, LENGTH);
      landing.end();
    }
    assertThat(landed()).isEqualTo(expected);
  }

  @Test
  void what_cannot_be_written_is_told_at_the_end() throws IOException {
    byte[] range = new byte[LENGTH];
    FileChannel out = open();
    out.close();
    FileLanding landing = new FileLanding(out, POSITION, range);
    arrive(landing, range, 1000, LENGTH);
    assertThatExceptionOfType(ClosedChannelException.class).isThrownBy(landing::end);
  }
}
