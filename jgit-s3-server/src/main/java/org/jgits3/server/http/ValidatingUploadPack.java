// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.SequenceInputStream;
import java.util.regex.Pattern;
import org.eclipse.jgit.annotations.Nullable;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.transport.UploadPack;
import org.jgits3.S3Repository;

/**
 * Serves fetches, and asks the store first unless the client wants objects by their ids: what it
 * read in the advertisement a moment ago is known here, or looked for in newer packs. Should it
 * name refs as well, the store is asked after all. Used by one thread.
 */
final class ValidatingUploadPack extends UploadPack {
  /** A line of Git's protocol that begins with its length. */
  private static final Pattern OBJECTS =
      Pattern.compile("[0-9a-f]{4}(command=fetch|want [0-9a-f]{4}).*", Pattern.DOTALL);

  private static final int PEEKED = 17;

  private final boolean anyObject;
  private final long requestLimit;

  /**
   * Serves one request.
   *
   * @param from repository
   * @param anyObject whether clients may have any object whose id they know, whatever refs are
   * @param requestLimit most bytes of what the client asks, inflated; 0 for no limit
   */
  ValidatingUploadPack(Repository from, boolean anyObject, long requestLimit) {
    super(from);
    this.anyObject = anyObject;
    this.requestLimit = requestLimit;
  }

  @Override
  public void uploadWithExceptionPropagation(
      InputStream input, OutputStream output, @Nullable OutputStream messages) throws IOException {
    InputStream limited = new LimitedRequest(input, requestLimit);
    InputStream whole = limited;
    if (getRepository() instanceof S3Repository repository && !repository.isValidated()) {
      byte[] first = limited.readNBytes(PEEKED);
      if (!anyObject || !OBJECTS.matcher(new String(first, US_ASCII)).matches()) {
        repository.validateUnlessRecent();
      }
      whole =
          new RefNameWatch(
              new SequenceInputStream(new ByteArrayInputStream(first), limited), repository);
    }
    super.uploadWithExceptionPropagation(whole, output, messages);
  }
}
