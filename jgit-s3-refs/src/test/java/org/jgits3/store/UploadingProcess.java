// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

import java.io.IOException;
import java.net.URI;
import java.util.Optional;
import org.jgits3.testing.S3Server;

/** A process that ends in the middle of an upload. */
final class UploadingProcess {
  private UploadingProcess() {}

  /**
   * Uploads two parts and a bit, says what the store knows of it, and exits.
   *
   * @param args key, store, and endpoint or an empty string
   */
  public static void main(String[] args) throws IOException {
    String key = args[0];
    Optional<URI> endpoint = Optional.of(args[2]).filter(e -> !e.isEmpty()).map(URI::create);
    ObjectStore store =
        StoreLocation.parse(args[1])
            .open(new StoreOptions(endpoint, Optional.of(S3Server.REGION), true, 4));
    PackUploads uploads = new PackUploads(store, new UploadOptions(UploadOptions.MIN_PART_SIZE, 2));
    PackUpload upload = uploads.begin(key);
    upload.write(new byte[2 * UploadOptions.MIN_PART_SIZE + (1 << 20)]);
    System.out.println("uploads of the key: " + store.listMultipart(key).size());
    System.exit(0);
  }
}
