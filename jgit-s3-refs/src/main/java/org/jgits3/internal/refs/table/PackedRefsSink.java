// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.table;

import java.io.IOException;

/** Takes the bytes of a snapshot, in order and in whole lines. */
@FunctionalInterface
public interface PackedRefsSink {
  /**
   * Takes some lines.
   *
   * @param bytes array that holds them; neither changed nor kept
   * @param offset first byte of the lines
   * @param length bytes of them
   * @throws IOException if they cannot be taken
   */
  void accept(byte[] bytes, int offset, int length) throws IOException;
}
