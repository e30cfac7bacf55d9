// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import org.eclipse.jgit.annotations.Nullable;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.transport.UploadPack;

/** Serves fetches, and refuses those that ask too much. Used by one thread. */
final class LimitedUploadPack extends UploadPack {
  private final long requestLimit;

  /**
   * Serves one request.
   *
   * @param from repository
   * @param requestLimit most bytes of what the client asks, inflated; 0 for no limit
   */
  LimitedUploadPack(Repository from, long requestLimit) {
    super(from);
    this.requestLimit = requestLimit;
  }

  @Override
  public void uploadWithExceptionPropagation(
      InputStream input, OutputStream output, @Nullable OutputStream messages) throws IOException {
    super.uploadWithExceptionPropagation(
        new LimitedRequest(input, getRepository(), requestLimit), output, messages);
  }
}
