// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.fleet;

import java.io.BufferedOutputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.StreamCorruptedException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.CRC32C;
import java.util.zip.CheckedOutputStream;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.InflaterInputStream;
import org.jgits3.internal.function.IoConsumer;
import org.jgits3.store.Crc32c;

/**
 * Stored form of data about all repositories: a line with kind and version, the compressed content,
 * and the CRC32C of both.
 *
 * @param kind noun for the data, part of the stored form and of messages
 * @param version version of the format, one character
 */
public record TableFormat(String kind, char version) {
  private static final int CRC_BYTES = 4;
  private static final int BUFFER = 1 << 13;

  /** Most bytes that a compressed byte can stand for, by the format of DEFLATE. */
  private static final long MOST_INFLATED = 1032;

  /** Content that is read from a stream. */
  @FunctionalInterface
  public interface Reader<T> {
    /**
     * Reads it.
     *
     * @param in the stream
     * @param most bytes that it can have at most
     * @return the content
     * @throws IOException if it has other bytes
     */
    T read(DataInputStream in, long most) throws IOException;
  }

  /**
   * Makes the stored form.
   *
   * @param expected bytes that it may have
   * @param content writes the content
   * @return the bytes
   */
  public byte[] encode(int expected, IoConsumer<DataOutputStream> content) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(expected);
    CheckedOutputStream checked = new CheckedOutputStream(bytes, new CRC32C());
    // Names are alike, and the rest is random: a higher level takes twice the time and saves
    // nothing.
    Deflater deflater = new Deflater(Deflater.BEST_SPEED);
    try (DataOutputStream end = new DataOutputStream(bytes)) {
      checked.write(magic());
      checked.write(version);
      checked.write('\n');
      DeflaterOutputStream compressed = new DeflaterOutputStream(checked, deflater, BUFFER);
      DataOutputStream out = new DataOutputStream(new BufferedOutputStream(compressed, BUFFER));
      content.accept(out);
      out.flush();
      compressed.finish();
      end.writeInt((int) checked.getChecksum().getValue());
    } catch (IOException e) {
      throw new IllegalStateException("an array takes all bytes", e);
    } finally {
      deflater.end();
    }
    return bytes.toByteArray();
  }

  private byte[] magic() {
    return ("jgit-s3 " + kind + " ").getBytes(StandardCharsets.US_ASCII);
  }

  /**
   * Reads the stored form.
   *
   * @param <T> type of the content
   * @param bytes what {@link #encode} gave
   * @param content reads the content
   * @return the content
   * @throws StreamCorruptedException if the bytes are something else, damaged, or of another
   *     version; the message continues "the ... "
   */
  public <T> T decode(byte[] bytes, Reader<T> content) throws StreamCorruptedException {
    byte[] magic = magic();
    int head = magic.length + 2;
    if (bytes.length < head + CRC_BYTES
        || !Arrays.equals(bytes, 0, magic.length, magic, 0, magic.length)) {
      throw new StreamCorruptedException("is no " + kind + " of jgit-s3");
    }
    if (bytes[magic.length] != version || bytes[magic.length + 1] != '\n') {
      throw new StreamCorruptedException("is a " + kind + " of another version than " + version);
    }
    int end = bytes.length - CRC_BYTES;
    if (ByteBuffer.wrap(bytes).getInt(end) != Crc32c.of(bytes, 0, end)) {
      throw damaged("its checksum is wrong");
    }
    try (DataInputStream in =
        new DataInputStream(
            new InflaterInputStream(new ByteArrayInputStream(bytes, head, end - head)))) {
      return content.read(in, MOST_INFLATED * (end - head));
    } catch (IOException e) { // an array can be read, but has other bytes
      throw damaged(e.toString());
    }
  }

  private StreamCorruptedException damaged(String why) {
    return new StreamCorruptedException("is a damaged " + kind + ": " + why);
  }
}
