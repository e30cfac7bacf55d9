// SPDX-License-Identifier: Apache-2.0
package org.jgits3.testing;

import java.net.URI;
import java.util.Optional;
import org.gaul.s3proxy.S3Proxy;
import org.gaul.s3proxy.auth.AuthenticationType;
import org.gaul.s3proxy.nio2blob.TransientNio2BlobStore;
import org.junit.jupiter.api.Assumptions;

/**
 * S3 servers that do not keep what {@code ObjectStore} promises, to be refused by the probe. Each
 * call starts one; the caller closes it, and gives its credentials to the AWS default chain.
 */
public final class UnsafeS3Servers {
  private static final String KEY = "unsafe";

  private UnsafeS3Servers() {}

  /**
   * S3Proxy, within this JVM, in memory. Checks conditions, then writes: updates are lost in a
   * race.
   *
   * @return the server
   */
  public static S3Server s3proxy() {
    S3Proxy proxy =
        S3Proxy.builder()
            .blobStore(new TransientNio2BlobStore())
            .endpoint(URI.create("http://127.0.0.1:0"))
            .awsAuthentication(AuthenticationType.AWS_V2_OR_V4, KEY, KEY)
            .build();
    try {
      proxy.start();
    } catch (Exception e) {
      throw new IllegalStateException("S3Proxy does not start", e);
    }
    URI endpoint = URI.create("http://127.0.0.1:" + proxy.getPort());
    return new S3Server("S3Proxy", endpoint, KEY, KEY, () -> stop(proxy));
  }

  private static void stop(S3Proxy proxy) {
    try {
      proxy.stop();
    } catch (Exception e) {
      throw new IllegalStateException("S3Proxy does not stop", e);
    }
  }

  /**
   * s3rver, in a process of its own. Ignores conditions. If it is not there, the calling test is
   * skipped, with a line that says so.
   *
   * @return the server
   */
  public static S3Server s3rver() {
    Optional<S3Server> server = NativeS3Server.s3rver();
    if (server.isEmpty()) {
      System.out.println("The test of s3rver is skipped: run etc/test/s3rver (needs npm)");
    }
    Assumptions.assumeTrue(server.isPresent(), "s3rver is not installed");
    return server.orElseThrow();
  }
}
