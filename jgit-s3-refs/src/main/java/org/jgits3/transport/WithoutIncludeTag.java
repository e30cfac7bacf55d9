// SPDX-License-Identifier: Apache-2.0
package org.jgits3.transport;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import org.jgits3.internal.function.IoSupplier;

/** A request without the packet {@code include-tag} of protocol 2 if tags are hidden. */
final class WithoutIncludeTag extends RequestPackets {
  private static final byte[] INCLUDE_TAG = "include-tag".getBytes(US_ASCII);

  private final IoSupplier<Boolean> tagsHidden;

  /**
   * Reads a request.
   *
   * @param request the packets of the client
   * @param tagsHidden tests whether there are hidden tags; called when the packet arrives
   */
  WithoutIncludeTag(InputStream request, IoSupplier<Boolean> tagsHidden) {
    super(request);
    this.tagsHidden = tagsHidden;
  }

  @Override
  byte[] edit(byte[] packet) throws IOException {
    return isIncludeTag(packet) && tagsHidden.get() ? new byte[0] : packet;
  }

  private static boolean isIncludeTag(byte[] packet) {
    int end = LENGTH + INCLUDE_TAG.length;
    return (packet.length == end || (packet.length == end + 1 && packet[end] == '\n'))
        && Arrays.equals(packet, LENGTH, end, INCLUDE_TAG, 0, INCLUDE_TAG.length);
  }
}
