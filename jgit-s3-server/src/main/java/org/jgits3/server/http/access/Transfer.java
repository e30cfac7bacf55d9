// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http.access;

import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.Optional;
import org.eclipse.jetty.server.Request;
import org.eclipse.jgit.transport.ReceiveCommand;

/**
 * Part of a fetch or push that one request was.
 *
 * @param repository name of the repository
 * @param service {@code git-upload-pack} or {@code git-receive-pack}
 * @param outcome one word
 * @param commands commands of a push with their results; none of any other request
 */
public record Transfer(
    String repository, String service, String outcome, List<ReceiveCommand> commands) {
  private static final String ATTRIBUTE = Transfer.class.getName();

  /** Notes the transfer of a request, for the line that is logged at its end. */
  public void noteIn(HttpServletRequest request) {
    request.setAttribute(ATTRIBUTE, this);
  }

  static Optional<Transfer> of(Request request) {
    return request.getAttribute(ATTRIBUTE) instanceof Transfer transfer
        ? Optional.of(transfer)
        : Optional.empty();
  }
}
