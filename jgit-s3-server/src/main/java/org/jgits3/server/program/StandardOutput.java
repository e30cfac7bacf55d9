// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.program;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Optional;

/**
 * Standard output of the process, which knows why it failed. {@code System.out} forgets the reason,
 * and a {@code PrintWriter} tells only that there is one. Used by one thread at a time.
 */
final class StandardOutput extends OutputStream {
  private final OutputStream out = new FileOutputStream(FileDescriptor.out);
  private Optional<String> failure = Optional.empty();

  @Override
  public void write(int b) throws IOException {
    write(new byte[] {(byte) b}, 0, 1);
  }

  @Override
  public void write(byte[] src, int offset, int length) throws IOException {
    try {
      out.write(src, offset, length);
    } catch (IOException e) {
      failure = Optional.of(e.getMessage());
      throw e;
    }
  }

  /** Reason of the last failure, as the operating system calls it. */
  Optional<String> failure() {
    return failure;
  }
}
