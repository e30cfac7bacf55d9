// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import org.jgits3.internal.function.IoRunnable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code /healthz}: 200 while the store answers, 503 while it does not. Asks the store at most once
 * a second.
 */
final class HealthServlet extends HttpServlet {
  static final String PATH = "/healthz";

  private static final Logger LOG = LoggerFactory.getLogger(HealthServlet.class);
  private static final long VALID_NANOS = Duration.ofSeconds(1).toNanos();

  /** Fails, with the reason in one line, while the store does not answer. */
  private final IoRunnable check;

  /** Last answer; guarded by this. */
  private boolean healthy;

  /** {@link System#nanoTime} after which the answer is stale; guarded by this. */
  private long staleAt = System.nanoTime();

  HealthServlet(IoRunnable check) {
    this.check = check;
  }

  @Override
  protected void doGet(HttpServletRequest req, HttpServletResponse rsp) throws IOException {
    if (!healthy()) {
      rsp.sendError(HttpServletResponse.SC_SERVICE_UNAVAILABLE, "the store does not answer");
      return;
    }
    rsp.setContentType("text/plain;charset=utf-8");
    rsp.getWriter().print("ok\n");
  }

  private synchronized boolean healthy() {
    if (System.nanoTime() - staleAt >= 0) {
      healthy = answers();
      staleAt = System.nanoTime() + VALID_NANOS;
    }
    return healthy;
  }

  private boolean answers() {
    try {
      check.run();
      return true;
    } catch (IOException e) {
      LOG.warn("store does not answer: {}", e.getMessage());
      return false;
    }
  }
}
