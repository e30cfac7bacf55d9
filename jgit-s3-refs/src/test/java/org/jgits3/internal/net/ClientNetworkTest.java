// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.net;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ClientNetworkTest {
  @ParameterizedTest
  @ValueSource(strings = {"192.0.2.7", "git.example", "zz::1", ":", "::1::", "1:2", ""})
  void address_that_is_not_ipv6_stands_for_itself(String address) {
    assertThat(ClientNetwork.of(address)).isEqualTo(address);
  }

  @ParameterizedTest
  @CsvSource({
    "2001:db8:0:1::7, 2001:db8:0:1:ffff:ffff:ffff:ffff, true",
    "2001:db8:0:1::7, [2001:db8:0:1::8], true",
    "2001:db8:0:1::7, 2001:db8:0:2::7, false",
    "::ffff:192.0.2.7, ::ffff:192.0.2.8, false"
  })
  void ipv6_addresses_of_64_common_bits_are_one_client(String one, String other, boolean same) {
    assertThat(ClientNetwork.of(one).equals(ClientNetwork.of(other))).isEqualTo(same);
  }
}
