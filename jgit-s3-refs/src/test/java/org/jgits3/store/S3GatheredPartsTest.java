// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jgits3.testing.ForkedJvm;
import org.jgits3.testing.ReplyDroppingProxy;
import org.jgits3.testing.S3Server;
import org.jgits3.testing.S3Servers;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Parts that memory cannot hold, in a bucket on a real server. */
class S3GatheredPartsTest extends GatheredPartsContract {
  private static S3Server server;
  private static StoreLocation.Bucket location;

  @BeforeAll
  static void create_bucket() {
    server = S3Servers.require();
    location = new StoreLocation.Bucket(server.newBucket().bucket(), "some/prefix");
  }

  @Override
  ObjectStore openStore() throws IOException {
    return location.open(server.options());
  }

  @Test
  void a_part_whose_answer_is_lost_is_read_and_sent_again() throws Exception {
    byte[] bytes = content(5 * SIZE + 1, 1);
    byte[] stored = new byte[bytes.length];
    try (ReplyDroppingProxy proxy =
            new ReplyDroppingProxy(server.endpoint(), "PUT .*partNumber=3.*", 1);
        ObjectStore store = location.open(over(proxy.endpoint(), 4))) {
      try (PackUploads uploads =
              new PackUploads(store, new UploadOptions(SIZE, 2), FOR_EVER, SIZES);
          PackUpload upload = uploads.begin("lost.pack")) {
        upload.write(bytes);
      }
      assertThat(proxy.dropped()).isEqualTo(1);
      store.read("lost.pack", 0, stored, 0, stored.length, Optional.empty());
    }
    assertThat(Arrays.equals(stored, bytes)).isTrue();
  }

  @Test
  void two_connections_are_enough_for_many_of_them() throws Exception {
    byte[] bytes = content(8 * SIZE, 1);
    List<String> keys = List.of("two/1.pack", "two/2.pack", "two/3.pack");
    try (ObjectStore store = location.open(over(server.endpoint(), 2));
        PackUploads uploads = new PackUploads(store, new UploadOptions(SIZE, 3), FOR_EVER, SIZES)) {
      ConcurrentTasks.run(
          keys.size(),
          stream -> {
            try (PackUpload upload = uploads.begin(keys.get(stream))) {
              upload.write(bytes);
            }
          });
      for (String key : keys) {
        assertThat(store.stat(key).orElseThrow().size()).isEqualTo(bytes.length);
      }
    }
  }

  @Test
  void a_part_may_be_larger_than_the_heap() throws Exception {
    List<String> options =
        List.of(
            "-Xmx60m",
            "-Daws.accessKeyId=" + server.accessKey(),
            "-Daws.secretAccessKey=" + server.secretKey());
    String said =
        ForkedJvm.run(
            options,
            LargePartProcess.class,
            location.toString(),
            server.endpoint().toString(),
            "heap.pack");
    assertThat(said).endsWith("155 MiB");
  }

  private static StoreOptions over(URI endpoint, int connections) {
    return new StoreOptions(Optional.of(endpoint), Optional.of(S3Server.REGION), true, connections);
  }
}
