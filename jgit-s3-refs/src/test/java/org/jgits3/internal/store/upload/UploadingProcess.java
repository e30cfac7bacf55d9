// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.upload;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.util.Optional;
import org.jgits3.Stores;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.StoreLocation;
import org.jgits3.store.StoreOptions;
import org.jgits3.store.UploadOptions;
import org.jgits3.testing.S3Server;

/** A process that ends in the middle of an upload. */
final class UploadingProcess {
  private UploadingProcess() {}

  /**
   * Uploads two parts and a bit, says what the store knows of it, and exits. Unless it is told to
   * finish the upload, by a hook of its own while the JVM ends.
   *
   * @param args key, store, endpoint or an empty string, and whether to finish
   */
  public static void main(String[] args) throws IOException {
    String key = args[0];
    Optional<URI> endpoint = Optional.of(args[2]).filter(e -> !e.isEmpty()).map(URI::create);
    ObjectStore store =
        Stores.open(
            StoreLocation.parse(args[1]),
            new StoreOptions(endpoint, Optional.of(S3Server.REGION), true, 4));
    PackUploads uploads = new PackUploads(store, new UploadOptions(UploadOptions.MIN_PART_SIZE, 2));
    PackUpload upload = uploads.begin(key);
    upload.write(new byte[2 * UploadOptions.MIN_PART_SIZE + (1 << 20)]);
    if (Boolean.parseBoolean(args[3])) {
      uploads.keepOpenAtExit();
      Runtime.getRuntime().addShutdownHook(new Thread(() -> finish(upload)));
    }
    System.out.println("uploads of the key: " + store.listMultipart(key).size());
    System.exit(0);
  }

  private static void finish(PackUpload upload) {
    try {
      upload.write(new byte[2 * UploadOptions.MIN_PART_SIZE]);
      upload.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
