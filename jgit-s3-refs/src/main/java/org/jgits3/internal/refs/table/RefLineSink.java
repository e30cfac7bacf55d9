// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.table;

import java.io.IOException;

/** Takes refs as bytes, in order. */
@FunctionalInterface
public interface RefLineSink {
  /**
   * Takes a ref.
   *
   * @param bytes array with its id in hex, a space and its name in UTF-8; neither changed nor kept
   * @param start start of the id
   * @param end end of the name
   * @param peeled start of the peeled id in hex; -1 if the ref is no annotated tag
   * @throws IOException if it cannot be taken
   */
  void ref(byte[] bytes, int start, int end, int peeled) throws IOException;
}
