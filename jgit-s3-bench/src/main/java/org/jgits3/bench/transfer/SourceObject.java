// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.transfer;

import java.io.IOException;
import java.nio.file.Files;
import org.jgits3.internal.store.upload.PackUpload;
import org.jgits3.internal.store.upload.PackUploads;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.UploadOptions;

/** The object that all tools download. */
final class SourceObject {
  private SourceObject() {}

  /**
   * Uploads it.
   *
   * @param store where to
   * @param key its key
   * @param source its content
   */
  static void upload(ObjectStore store, String key, SourceFile source) throws IOException {
    try (PackUploads uploads = new PackUploads(store, UploadOptions.DEFAULT)) {
      PackUpload out = uploads.begin(key);
      try {
        Files.copy(source.path(), out);
      } catch (IOException | RuntimeException | Error e) {
        out.fail(e);
        throw e;
      }
      out.close();
    }
  }
}
