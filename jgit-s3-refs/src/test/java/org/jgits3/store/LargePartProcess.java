// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

import java.io.IOException;
import java.net.URI;
import java.util.Optional;
import java.util.Random;
import org.jgits3.testing.S3Server;

/** A process that uploads an object, one part of which is larger than its heap. */
final class LargePartProcess {
  private static final int MIB = 1 << 20;

  private LargePartProcess() {}

  /**
   * Uploads parts of 5, 10, 20, 40 and 80 MiB, and says how long the object is.
   *
   * @param args store, endpoint and key
   */
  public static void main(String[] args) throws IOException {
    byte[] bytes = new byte[MIB];
    new Random(1).nextBytes(bytes);
    UploadOptions options = new UploadOptions(UploadOptions.MIN_PART_SIZE, 3);
    PartSizes sizes = new PartSizes(5, 1, 1, 80 * MIB);
    StoreOptions to =
        new StoreOptions(Optional.of(URI.create(args[1])), Optional.of(S3Server.REGION), true, 8);
    try (ObjectStore store = StoreLocation.parse(args[0]).open(to)) {
      try (PackUploads uploads =
              new PackUploads(store, options, GatheredPartsContract.FOR_EVER, sizes);
          PackUpload upload = uploads.begin(args[2])) {
        for (int i = 0; i < 155; i++) {
          upload.write(bytes);
        }
      }
      System.out.println(store.stat(args[2]).orElseThrow().size() / MIB + " MiB");
    }
  }
}
