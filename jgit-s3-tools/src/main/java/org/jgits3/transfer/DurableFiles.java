// SPDX-License-Identifier: Apache-2.0
package org.jgits3.transfer;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jgits3.internal.function.IoConsumer;

/** Writes files that are on the disk when the method returns. */
final class DurableFiles {
  private static final int BUFFER = 64 << 10;

  private DurableFiles() {}

  /** Writes a new file. */
  static void write(Path file, IoConsumer<OutputStream> content) throws IOException {
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      OutputStream out = new BufferedOutputStream(Channels.newOutputStream(channel), BUFFER);
      content.accept(out);
      out.flush();
      channel.force(true);
    }
  }

  /** Makes the names in a directory durable. */
  static void sync(Path directory) throws IOException {
    try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }
}
