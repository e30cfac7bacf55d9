// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import org.eclipse.jgit.annotations.Nullable;
import org.eclipse.jgit.errors.PackProtocolException;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.transport.PacketLineOut;
import org.eclipse.jgit.transport.ServiceMayNotContinueException;
import org.eclipse.jgit.transport.SideBandOutputStream;
import org.jgits3.S3Repository;
import org.jgits3.internal.pack.limit.TransferLimits;
import org.jgits3.server.http.limit.LimitedRequest;
import org.jgits3.server.http.limit.LimitedWalk;
import org.jgits3.transport.S3UploadPack;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Serves fetches, and refuses requests that are too large. Used by one thread. */
final class LimitedUploadPack extends S3UploadPack {
  private static final Logger LOG = LoggerFactory.getLogger(LimitedUploadPack.class);

  /** Most bytes of the inflated request; 0 for no limit. */
  private final long requestLimit;

  private boolean refused;

  /** True if the next bytes of the answer are a pack, or tell of its progress. */
  private boolean sends;

  /**
   * Creates the service of one request.
   *
   * @param from repository
   * @param config effective configuration of the fetch
   */
  LimitedUploadPack(Repository from, Config config) {
    super(counting(from), config);
    this.requestLimit = config.getLong("http", "maxRequestBuffer", 0);
    getRevWalk()
        .setProgressMonitor(new LimitedWalk(config.getLong("uploadpack", "maxWalkedCommits", 0)));
  }

  /** Starts counting the objects sent from a repository, before a reader of it is made. */
  private static Repository counting(Repository from) {
    if (from instanceof S3Repository repository) {
      repository.getObjectDatabase().countSent();
    }
    return from;
  }

  @Override
  public void uploadWithExceptionPropagation(
      InputStream input, OutputStream output, @Nullable OutputStream messages) throws IOException {
    try {
      super.uploadWithExceptionPropagation(
          new LimitedRequest(input, getRepository(), requestLimit), output, messages);
    } catch (UncheckedIOException e) {
      if (e.getCause() instanceof TransferLimits.Refusal refusal) {
        throw told(output, refusal);
      }
      if (e.getCause() instanceof PackProtocolException refusal) {
        throw refused(output, refusal);
      }
      throw e;
    } catch (PackProtocolException e) {
      if (getStatistics() != null) {
        LOG.debug("{}: after a fetch: {}", getRepository(), e.getMessage());
        return; // the pack is sent
      }
      throw refused(output, e);
    }
  }

  /**
   * Begins a pack. First waits until there is memory for the objects of a clone, the largest kind
   * of fetch. Called before any object of the clone takes memory.
   *
   * @param first whether the client has nothing of it yet
   * @throws IOException if the store does not answer
   */
  void beginPack(boolean first) throws IOException {
    sends = true;
    if (limitsHistory()) { // JGit has walked through it, and does so once more for the pack
      getRevWalk().getObjectReader().close();
    }
    if (first
        && getDepth() == 0
        && getFilterSpec().isNoOp()
        && getRepository() instanceof S3Repository repository) {
      try {
        repository.getObjectDatabase().awaitMemoryForClone();
      } catch (TransferLimits.Refusal e) {
        throw new UncheckedIOException(e); // reported like a refusal during counting
      }
    }
  }

  /** Tests whether the client was refused for lack of memory. */
  boolean isRefused() {
    return refused;
  }

  /** Reports a refusal to the client, which may expect a pack by now and have received progress. */
  private ServiceMayNotContinueException told(OutputStream output, TransferLimits.Refusal refusal)
      throws IOException {
    refused = true;
    if (sends && isSideBand()) {
      SideBandOutputStream errors =
          new SideBandOutputStream(
              SideBandOutputStream.CH_ERROR, SideBandOutputStream.SMALL_BUF, output);
      errors.write(refusal.getMessage().getBytes(UTF_8));
      errors.flush();
      return told(refusal);
    }
    return toldBeforePack(output, refusal);
  }

  private ServiceMayNotContinueException refused(OutputStream output, PackProtocolException why)
      throws IOException {
    LOG.info("{}: a fetch was refused: {}", getRepository(), why.getMessage());
    return toldBeforePack(output, why);
  }

  private static ServiceMayNotContinueException toldBeforePack(OutputStream output, IOException why)
      throws IOException {
    new PacketLineOut(output).writeString("ERR " + why.getMessage() + "\n");
    return told(why);
  }

  private static ServiceMayNotContinueException told(IOException why) {
    ServiceMayNotContinueException told = new ServiceMayNotContinueException(why.getMessage(), why);
    told.setOutput();
    return told;
  }
}
