// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.probe;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.jgits3.Stores;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.UnsafeStoreException;
import org.jgits3.testing.S3Server;
import org.jgits3.testing.SystemProperties;
import org.jgits3.testing.UnsafeS3Servers;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The probe names the check that real servers fail. {@link StoreProbeTest} has one that passes. */
class UnsafeServersAreRefusedTest {
  @AutoClose private final SystemProperties properties = new SystemProperties();

  @Test
  @Tag("long") // StoreProbeTest has stores that lose updates in a race
  void s3proxy_is_refused_because_it_loses_updates_in_a_race() throws IOException {
    try (S3Server server = UnsafeS3Servers.s3proxy();
        ObjectStore store = open(server)) {
      assertThatThrownBy(() -> StoreProbe.full(store).orRefuse())
          .isInstanceOf(UnsafeStoreException.class)
          .hasMessageContaining("-race' failed: ");
    }
  }

  @Test
  void s3rver_is_refused_at_once_because_it_ignores_conditions() throws IOException {
    try (S3Server server = UnsafeS3Servers.s3rver();
        ObjectStore store = open(server)) {
      assertThatThrownBy(() -> StoreProbe.admit(store))
          .isInstanceOf(UnsafeStoreException.class)
          .hasMessageContaining("check '");
    }
  }

  private ObjectStore open(S3Server server) throws IOException {
    properties
        .set("aws.accessKeyId", server.accessKey())
        .set("aws.secretAccessKey", server.secretKey());

    return Stores.open(server.newBucket(), server.options());
  }
}
