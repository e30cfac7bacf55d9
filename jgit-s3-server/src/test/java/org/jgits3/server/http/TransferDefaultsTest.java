// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.storage.pack.PackConfig;
import org.junit.jupiter.api.Test;

class TransferDefaultsTest {
  private static final List<String> LIMITS =
      List.of(
          "pack.threads",
          "pack.window",
          "pack.depth",
          "pack.windowMemory",
          "pack.deltaCacheSize",
          "core.bigFileThreshold",
          "http.maxRequestBuffer",
          "uploadpack.maxWalkedCommits",
          "receive.maxInputSize",
          "receive.maxObjectSizeLimit",
          "receive.maxCommandBytes",
          "receive.maxCommandDiscardBytes");

  private static Config config(String text) throws Exception {
    Config config = new Config();
    config.fromText(text);
    return config;
  }

  private static Config set(String key, String value) {
    Config config = new Config();
    config.setString(key.split("\\.", -1)[0], null, key.split("\\.", -1)[1], value);
    return config;
  }

  private static long limit(Config config, String key) {
    return config.getLong(key.split("\\.", -1)[0], key.split("\\.", -1)[1], -1);
  }

  private static TransferDefaults defaults(Config administrator) {
    return new TransferDefaults(administrator, Optional.of(1L << 30), Optional.of(1L << 20));
  }

  @Test
  void repository_cannot_raise_a_limit_of_the_server() throws Exception {
    TransferDefaults defaults = defaults(new Config());
    for (String key : LIMITS) {
      long server = limit(defaults.under(new Config()), key);
      assertThat(server).as(key).isPositive();
      for (String value : List.of("0", "-1", "2000000000", "many")) {
        assertThat(limit(defaults.under(set(key, value)), key)).as(key).isEqualTo(server);
      }
      assertThat(limit(defaults.under(set(key, "1")), key)).as(key).isEqualTo(1);
    }
  }

  @Test
  void repository_may_set_a_limit_where_the_server_has_none() {
    for (String key : List.of("receive.maxInputSize", "receive.maxObjectSizeLimit")) {
      TransferDefaults open =
          new TransferDefaults(new Config(), Optional.empty(), Optional.empty());
      assertThat(limit(open.under(set(key, "5m")), key)).isEqualTo(5 << 20);
    }
  }

  @Test
  void administrator_raises_the_limits_of_the_server() {
    for (String key : LIMITS.subList(0, 7)) {
      Config administrator = set(key, "100000000");
      assertThat(limit(defaults(administrator).under(set(key, "90000000")), key))
          .as(key)
          .isEqualTo(90_000_000);
    }
  }

  @Test
  void repository_cannot_make_each_fetch_search_deltas_anew() throws Exception {
    Config costly = config("[pack]\n\treuseDeltas = false\n\treuseObjects = false\n");
    PackConfig pack = new PackConfig(defaults(new Config()).under(costly));
    assertThat(pack.isReuseDeltas()).isTrue();
    assertThat(pack.isReuseObjects()).isTrue();
    Config frugal = config("[pack]\n\tdeltaCompression = false\n");
    Config asked = config("[pack]\n\tdeltaCompression = true\n");
    assertThat(new PackConfig(defaults(frugal).under(asked)).isDeltaCompress()).isFalse();
  }
}
