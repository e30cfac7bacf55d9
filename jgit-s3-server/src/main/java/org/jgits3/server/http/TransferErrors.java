// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.eclipse.jetty.io.EofException;
import org.eclipse.jgit.errors.CorruptObjectException;
import org.eclipse.jgit.errors.PackProtocolException;
import org.eclipse.jgit.http.server.GitSmartHttpTools;
import org.eclipse.jgit.http.server.ReceivePackErrorHandler.ReceivePackRunnable;
import org.eclipse.jgit.http.server.UploadPackErrorHandler.UploadPackRunnable;
import org.eclipse.jgit.transport.ServiceMayNotContinueException;
import org.jgits3.server.http.limit.BodyFilter;
import org.jgits3.server.http.limit.Refusal;
import org.jgits3.store.StoreException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers transfers that failed before anything was told in Git's protocol, with the reason as far
 * as a client may know it. The log has the rest.
 */
final class TransferErrors {
  private static final Logger LOG = LoggerFactory.getLogger(TransferErrors.class);

  private TransferErrors() {}

  /** Runs a fetch. */
  static void upload(HttpServletRequest req, HttpServletResponse rsp, UploadPackRunnable fetch)
      throws IOException {
    try {
      fetch.upload();
    } catch (ServiceMayNotContinueException e) {
      if (!e.isOutput() && !rsp.isCommitted()) {
        rsp.reset();
        GitSmartHttpTools.sendError(req, rsp, e.getStatusCode(), e.getMessage());
      }
    } catch (PackProtocolException e) {
      if (undecodable(e) || rsp.isCommitted()) {
        throw refusal("fetch", req, e);
      }
      rsp.reset();
      GitSmartHttpTools.sendError(req, rsp, HttpServletResponse.SC_OK, e.getMessage());
    } catch (IOException | RuntimeException e) {
      throw refusal("fetch", req, e);
    }
  }

  /** Runs a push. */
  static void receive(HttpServletRequest req, HttpServletResponse rsp, ReceivePackRunnable push)
      throws IOException {
    try {
      push.receive();
    } catch (IOException | RuntimeException e) {
      throw refusal("push", req, e);
    }
  }

  /** Tests whether a transfer failed because the client has closed its connection. */
  static boolean isClientGone(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof EofException) {
        return true;
      }
    }
    return false;
  }

  private static boolean undecodable(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof BodyFilter.UndecodableException) {
        return true;
      }
    }
    return false;
  }

  private static Refusal refusal(String transfer, HttpServletRequest req, Exception failure) {
    if (isClientGone(failure)) {
      LOG.info("{} {}: the client is gone", req.getMethod(), req.getRequestURI());
      return new Refusal(HttpServletResponse.SC_BAD_REQUEST, "the client is gone", null);
    }
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof Refusal refusal) {
        return refusal;
      }
      if (cause instanceof BodyFilter.UndecodableException) {
        return new Refusal(HttpServletResponse.SC_BAD_REQUEST, cause.getMessage(), failure);
      }
      if (cause instanceof StoreException) {
        return new Refusal(
            HttpServletResponse.SC_SERVICE_UNAVAILABLE,
            "the " + transfer + " failed at the store; the server's log says why",
            failure);
      }
    }
    if (failure instanceof PackProtocolException || failure instanceof CorruptObjectException) {
      return new Refusal(HttpServletResponse.SC_BAD_REQUEST, failure.getMessage(), failure);
    }
    return new Refusal(
        HttpServletResponse.SC_INTERNAL_SERVER_ERROR,
        "the " + transfer + " failed; the server's log says why",
        failure);
  }
}
