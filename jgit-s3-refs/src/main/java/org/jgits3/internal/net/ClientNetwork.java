// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.net;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.regex.Pattern;

/**
 * Network of a client, for limits that are fair between clients: its IPv4 address, or the first 64
 * bits of its IPv6 address, since one client has all addresses of such a network.
 */
public final class ClientNetwork {
  private static final Pattern IPV6 = Pattern.compile("[0-9a-fA-F]*:[0-9a-fA-F:.]*");
  private static final int PREFIX_BYTES = 8;

  private ClientNetwork() {}

  /**
   * Network that an address is in. Looks up no name.
   *
   * @param address address of a client, an IPv6 address with or without brackets
   * @return the network; text that is no address stands for itself
   */
  public static String of(String address) {
    String bare = address.replaceAll("[\\[\\]]", "");
    // The address may be text of a proxy: it must not be looked up as a name.
    if (!IPV6.matcher(bare).matches()) {
      return bare;
    }
    try {
      return InetAddress.getByName(bare) instanceof Inet6Address v6 ? prefix(v6) : bare;
    } catch (UnknownHostException e) {
      return bare;
    }
  }

  private static String prefix(Inet6Address address) {
    return HexFormat.of().formatHex(Arrays.copyOf(address.getAddress(), PREFIX_BYTES));
  }
}
