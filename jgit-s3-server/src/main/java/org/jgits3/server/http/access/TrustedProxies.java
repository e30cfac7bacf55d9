// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http.access;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.ConnectionMetaData;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.InetAddressSet;

/**
 * Gives requests that come through trusted proxies the address of their client: the last one in
 * {@code X-Forwarded-For} that is no trusted proxy. All that stands before it is the client's own
 * claim. The header of a client that is no trusted proxy is ignored, and so is {@code Forwarded},
 * which a proxy that sets the other header passes on as the client sent it.
 */
public final class TrustedProxies implements HttpConfiguration.Customizer {
  private static final String OCTET = "(25[0-5]|2[0-4]\\d|1?\\d?\\d)";
  private static final String IPV4 = OCTET + "(\\." + OCTET + "){3}";

  /** Matches addresses alone, and no names, which would be looked up. */
  private static final String ADDRESS = IPV4 + "|[0-9a-fA-F:]*:[0-9a-fA-F:.]*";

  /** Matches an address as a proxy writes it: with brackets and a port, or without. */
  private static final Pattern HOP =
      Pattern.compile("(?<v4>" + IPV4 + ")(:\\d+)?|\\[(?<in>[^]]*)](:\\d+)?|(?<v6>.*:.*:.*)");

  /** Characters of an address with brackets and a port, at most. */
  private static final int LONGEST = 64;

  private static final Pattern NETWORK = Pattern.compile("(" + ADDRESS + ")(/\\d{1,3})?");

  private final InetAddressSet trusted = new InetAddressSet();

  /**
   * Trusts proxies.
   *
   * @param networks addresses, or networks as {@code ADDRESS/BITS}
   * @throws IllegalArgumentException if one is neither
   */
  public TrustedProxies(Collection<String> networks) {
    for (String network : networks) {
      try {
        if (!NETWORK.matcher(network).matches()) {
          throw new IllegalArgumentException("no address");
        }
        trusted.add(network);
      } catch (IllegalArgumentException e) {
        throw new IllegalArgumentException(
            "--trusted-proxy " + network + ": an address, or ADDRESS/BITS, is needed", e);
      }
    }
  }

  @Override
  public Request customize(Request request, HttpFields.Mutable headers) {
    if (!(request.getConnectionMetaData().getRemoteSocketAddress()
        instanceof InetSocketAddress peer)) {
      return request;
    }
    InetAddress client =
        client(peer.getAddress(), request.getHeaders().getCSV(HttpHeader.X_FORWARDED_FOR, false));
    return client.equals(peer.getAddress()) ? request : from(client, request);
  }

  /**
   * Finds the client.
   *
   * @param peer address that the connection comes from
   * @param hops what proxies have added, the nearest one last
   * @return the nearest address that is no trusted proxy; the farthest that is known if all are
   */
  InetAddress client(InetAddress peer, List<String> hops) {
    InetAddress nearest = peer;
    for (int i = hops.size() - 1; i >= 0 && trusted.test(nearest); i--) {
      Optional<InetAddress> hop = address(hops.get(i));
      if (hop.isEmpty()) {
        return nearest;
      }
      nearest = hop.get();
    }
    return nearest;
  }

  private static Optional<InetAddress> address(String hop) {
    Matcher matcher = HOP.matcher(hop);
    if (hop.length() > LONGEST || !matcher.matches()) {
      return Optional.empty();
    }
    String bare = matcher.group("v4");
    if (bare == null) {
      bare = matcher.group("in") == null ? matcher.group("v6") : matcher.group("in");
    }
    if (!bare.matches(ADDRESS)) {
      return Optional.empty();
    }
    try {
      return Optional.of(InetAddress.getByName(bare));
    } catch (UnknownHostException e) {
      return Optional.empty();
    }
  }

  private static Request from(InetAddress client, Request request) {
    ConnectionMetaData connection =
        new ConnectionMetaData.Wrapper(request.getConnectionMetaData()) {
          @Override
          public SocketAddress getRemoteSocketAddress() {
            return new InetSocketAddress(client, 0);
          }
        };
    return new Request.Wrapper(request) {
      @Override
      public ConnectionMetaData getConnectionMetaData() {
        return connection;
      }
    };
  }
}
