// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.eclipse.jgit.http.server.GitSmartHttpTools;
import org.eclipse.jgit.http.server.ServletUtils;
import org.jgits3.S3Repository;
import org.jgits3.transport.S3ReceivePack;
import org.jgits3.transport.S3UploadPack;

/**
 * Answers {@code GET info/refs} of repositories in the store by copying the refs to the response,
 * where JGit's servlet would sort and compress them.
 */
final class InfoRefsFilter extends HttpFilter {
  @Override
  protected void doFilter(HttpServletRequest req, HttpServletResponse rsp, FilterChain chain)
      throws IOException, ServletException {
    Object handler = req.getAttribute(ServletUtils.ATTRIBUTE_HANDLER);
    if (!GitSmartHttpTools.isInfoRefs(req)
        || !(ServletUtils.getRepository(req) instanceof S3Repository)) {
      chain.doFilter(req, rsp);
    } else if (handler instanceof S3ReceivePack push) {
      rsp.setContentType("application/x-git-receive-pack-advertisement");
      push.sendInfoRefs(rsp.getOutputStream());
    } else if (handler instanceof S3UploadPack fetch) {
      rsp.setContentType("application/x-git-upload-pack-advertisement");
      fetch.sendInfoRefs(rsp.getOutputStream());
    } else {
      chain.doFilter(req, rsp);
    }
  }
}
