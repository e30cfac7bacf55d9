// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jgits3.Stores;
import org.jgits3.manifest.NamePointer;
import org.jgits3.server.e2e.process.Command;
import org.jgits3.server.e2e.process.PausingProxy;
import org.jgits3.server.e2e.process.ServedStore;
import org.jgits3.store.ConcurrentTasks;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.StoreLocation;
import org.jgits3.testing.S3Server;
import org.jgits3.testing.S3Servers;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Lists of names that take more than one request, of which the second is held back. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class ListingIT {
  private static final int PAGE = 1000;

  /** Beginning of each name. A page of them is more than a pipe holds. */
  private static final String LONG = "n".repeat(200);

  private static S3Server server;
  private static ServedStore direct;

  @TempDir private Path scratch;
  private ServedStore store;
  @AutoClose private PausingProxy proxy;

  @BeforeAll
  static void make_names(@TempDir Path directory) throws IOException {
    server = S3Servers.require();
    direct = ServedStore.bucket(server, directory);
    byte[] pointer = new byte[NamePointer.LEAST_BYTES];
    try (ObjectStore bucket = Stores.open(StoreLocation.parse(direct.url()), server.options())) {
      for (int i = 0; i <= PAGE; i++) {
        bucket.put("names/%s%04d.git".formatted(LONG, i), pointer, 0, pointer.length);
      }
    }
  }

  @BeforeEach
  void hold_the_second_request() throws IOException {
    proxy = PausingProxy.sinceRequest(server.endpoint(), "continuation-token", 0);
    store = direct.through(proxy.uri(), scratch);
  }

  @ParameterizedTest
  @ValueSource(strings = {"list", "list --json"})
  void names_are_printed_while_the_store_lists_them(String options) throws Exception {
    Path out = scratch.resolve("out");
    Path err = scratch.resolve("err");
    Process process = store.start(out, err, options.split(" "));
    proxy.awaitPause();
    String last = LONG + "%04d".formatted(PAGE);
    ConcurrentTasks.waitWhile(
        () -> {
          assertThat(process.isAlive()).as(Files.readString(err)).isTrue();
          return !Files.readString(out).contains(LONG + "0000");
        });
    assertThat(out).content().doesNotContain(last);
    proxy.resume();
    assertThat(process.waitFor()).isZero();
    assertThat(out).content().contains(last);
    assertThat(err).isEmptyFile();
  }

  @ParameterizedTest
  @ValueSource(strings = {"list", "list --json"})
  void list_ends_at_once_and_quietly_when_its_output_is_closed(String options) {
    List<String> piped =
        new ArrayList<>(List.of("sh", "-c", "{ \"$@\"; echo $? >&2; } | head -c 100", "sh"));
    piped.addAll(store.line(options.split(" ")));
    Command ended = Command.finish(piped, store.environment());
    assertThat(ended.stdout()).contains("nnn");
    assertThat(ended.stderr()).isEqualTo("1\n");
  }
}
