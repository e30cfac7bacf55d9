// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.net.InetAddress;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TrustedProxiesTest {
  private final TrustedProxies proxies =
      new TrustedProxies(List.of("127.0.0.1", "10.0.0.0/8", "fd00::/8"));

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "a client without a proxy | 192.0.2.1 | '' | 192.0.2.1",
        "a claim of one without a proxy | 192.0.2.1 | 198.51.100.1 | 192.0.2.1",
        "a client of a proxy | 127.0.0.1 | 192.0.2.1 | 192.0.2.1",
        "a claim before its address | 127.0.0.1 | 198.51.100.1,192.0.2.1 | 192.0.2.1",
        "a claim to be a proxy | 127.0.0.1 | 198.51.100.1,10.9.9.9,192.0.2.1 | 192.0.2.1",
        "a client of two proxies | 10.1.2.3 | 192.0.2.1,10.9.9.9 | 192.0.2.1",
        "a proxy alone | 10.1.2.3 | 10.9.9.9 | 10.9.9.9",
        "a proxy that tells nothing | 10.1.2.3 | '' | 10.1.2.3",
        "a port | 10.1.2.3 | 192.0.2.1:4711 | 192.0.2.1",
        "six | fd00::1 | 2001:db8::7 | 2001:db8:0:0:0:0:0:7",
        "six with a port | fd00::1 | [2001:db8::7]:4711 | 2001:db8:0:0:0:0:0:7",
        "four in six | 127.0.0.1 | ::ffff:192.0.2.1 | 192.0.2.1",
        "a proxy as four in six | 127.0.0.1 | 192.0.2.1,::ffff:10.0.0.1 | 192.0.2.1",
        "no address | 127.0.0.1 | 192.0.2.1,unknown | 127.0.0.1",
        "a name | 127.0.0.1 | 192.0.2.1,localhost | 127.0.0.1",
        "a number | 127.0.0.1 | 192.0.2.1,2130706433 | 127.0.0.1",
        "too large | 127.0.0.1 | 192.0.2.1,256.0.0.1 | 127.0.0.1",
        "brackets with nothing | 127.0.0.1 | 192.0.2.1,[] | 127.0.0.1",
        "colons alone | 127.0.0.1 | 192.0.2.1,::::::: | 127.0.0.1",
        "a zone | 127.0.0.1 | 192.0.2.1,fe80::1%lo | 127.0.0.1",
      })
  void client_is_the_nearest_address_that_is_no_trusted_proxy(
      String what, String peer, String hops, String client) throws Exception {
    List<String> header = hops.isEmpty() ? List.of() : List.of(hops.split(","));
    assertThat(proxies.client(InetAddress.getByName(peer), header).getHostAddress())
        .as(what)
        .isEqualTo(client);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "localhost",
        "proxy.example",
        "10.0.0.0/33",
        "10.0.0.0/x",
        "10.0.0",
        "256.0.0.1",
        "*",
        "fd00::/129",
        "10.0.0.1-10.0.0.9"
      })
  void proxy_is_an_address_or_a_network(String network) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new TrustedProxies(List.of(network)))
        .withMessageContaining("--trusted-proxy " + network);
  }
}
