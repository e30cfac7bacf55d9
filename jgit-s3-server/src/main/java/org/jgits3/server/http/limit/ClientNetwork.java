// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http.limit;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.regex.Pattern;
import org.eclipse.jetty.server.Request;

/**
 * Network of a client, for limits that are fair between clients: its IPv4 address, or the first 64
 * bits of its IPv6 address, since one client has all addresses of such a network.
 */
public final class ClientNetwork {
  private static final Pattern IPV6 = Pattern.compile("[0-9a-fA-F]*:[0-9a-fA-F:.]*");
  private static final int PREFIX_BYTES = 8;

  private ClientNetwork() {}

  /**
   * Network that a request comes from.
   *
   * @param request request, whose address is that of a proxy unless the proxy names the client
   * @return the network; an address that cannot be read stands for itself
   */
  public static String of(Request request) {
    return of(Request.getRemoteAddr(request));
  }

  static String of(String address) {
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
