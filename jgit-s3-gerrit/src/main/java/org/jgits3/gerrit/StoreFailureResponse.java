// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit;

import java.io.IOException;
import java.util.Set;
import javax.servlet.http.HttpServletResponse;
import javax.servlet.http.HttpServletResponseWrapper;
import org.jgits3.gerrit.repository.GerritRequest;

/**
 * Says 503 in place of 401, 403 and 404 if something could not be read for the request, or the
 * store did not answer another one meanwhile. Gerrit takes a user whose external id it cannot read
 * for one that does not exist, and a client that trusts a 401 would discard its password.
 */
final class StoreFailureResponse extends HttpServletResponseWrapper {
  private static final Set<Integer> IN_DOUBT = Set.of(SC_UNAUTHORIZED, SC_FORBIDDEN, SC_NOT_FOUND);

  private final GerritRequest request;

  StoreFailureResponse(HttpServletResponse response, GerritRequest request) {
    super(response);
    this.request = request;
  }

  private boolean inDoubt(int status) {
    return request.hasFailed() && IN_DOUBT.contains(status);
  }

  private int known(int status) {
    return inDoubt(status) ? SC_SERVICE_UNAVAILABLE : status;
  }

  @Override
  public void setStatus(int status) {
    super.setStatus(known(status));
  }

  @Override
  public void sendError(int status) throws IOException {
    super.sendError(known(status));
  }

  @Override
  public void sendError(int status, String message) throws IOException {
    if (inDoubt(status)) {
      super.sendError(SC_SERVICE_UNAVAILABLE);
    } else {
      super.sendError(status, message);
    }
  }
}
