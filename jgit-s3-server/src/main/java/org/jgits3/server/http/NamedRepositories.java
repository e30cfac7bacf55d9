// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import org.eclipse.jgit.errors.RepositoryNotFoundException;
import org.eclipse.jgit.http.server.GitSmartHttpTools;
import org.eclipse.jgit.internal.storage.dfs.DfsRepositoryDescription;
import org.eclipse.jgit.internal.storage.dfs.InMemoryRepository;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.transport.resolver.RepositoryResolver;
import org.jgits3.Purpose;
import org.jgits3.S3RepositoryManager;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.server.http.limit.Refusal;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds the repository of a request, or creates it if a push may do that. */
final class NamedRepositories implements RepositoryResolver<HttpServletRequest> {
  private static final Logger LOG = LoggerFactory.getLogger(NamedRepositories.class);

  /**
   * Character that the container puts in place of invalid UTF-8, which would make two names equal.
   */
  private static final char UNDECODABLE = '\uFFFD';

  private final S3RepositoryManager manager;
  private final boolean createOnPush;

  NamedRepositories(S3RepositoryManager manager, boolean createOnPush) {
    this.manager = manager;
    this.createOnPush = createOnPush;
  }

  @Override
  public Repository open(HttpServletRequest req, String path) {
    String name = checked(path);
    try {
      return opened(req, name);
    } catch (RepositoryNotFoundException e) {
      return create(req, name, e);
    } catch (IOException e) {
      throw unavailable(name, e);
    }
  }

  private Repository opened(HttpServletRequest req, String name) throws IOException {
    if (GitSmartHttpTools.isReceivePack(req)) {
      return manager.openRepository(name, Purpose.push());
    }
    if (GitSmartHttpTools.isUploadPack(req) || isCapabilityAdvertisement(req)) {
      return manager.openRepository(
          name, Purpose.fetch()); // validated only if the client asks for refs
    }
    return manager.openRepository(name, Purpose.request());
  }

  /** Tests whether a client asks only for the capabilities, and for refs in its next request. */
  private static boolean isCapabilityAdvertisement(HttpServletRequest req) {
    String protocol = req.getHeader("Git-Protocol");
    return GitSmartHttpTools.isInfoRefs(req)
        && GitSmartHttpTools.UPLOAD_PACK.equals(req.getParameter("service"))
        && protocol != null
        && List.of(protocol.split(":", -1)).contains("version=2");
  }

  private Repository create(HttpServletRequest req, String name, RepositoryNotFoundException e) {
    if (createOnPush && isPushAdvertisement(req)) {
      return new InMemoryRepository(new DfsRepositoryDescription(name)); // a GET changes nothing
    }
    if (!createOnPush || !GitSmartHttpTools.isReceivePack(req)) {
      throw new Refusal(HttpServletResponse.SC_NOT_FOUND, "no repository " + name, e);
    }
    try {
      return created(req, name);
    } catch (IOException failure) {
      throw unavailable(name, failure);
    }
  }

  private Repository created(HttpServletRequest req, String name) throws IOException {
    try {
      manager.createRepository(name).close();
    } catch (ManifestException.Exists e) {
      LOG.debug("another first push was faster; both go on in the one repository", e);
    }
    return opened(req, name);
  }

  /** Tests whether a client asks for the refs that its push will change. */
  private static boolean isPushAdvertisement(HttpServletRequest req) {
    return GitSmartHttpTools.isInfoRefs(req)
        && GitSmartHttpTools.RECEIVE_PACK.equals(req.getParameter("service"));
  }

  private static String checked(String path) {
    if (path.indexOf(UNDECODABLE) >= 0) {
      throw new Refusal(
          HttpServletResponse.SC_NOT_FOUND, "repository name is not valid UTF-8", null);
    }
    try {
      return RepositoryName.of(path).value();
    } catch (IllegalArgumentException e) {
      throw new Refusal(HttpServletResponse.SC_NOT_FOUND, e.getMessage(), e);
    }
  }

  private static Refusal unavailable(String name, IOException e) {
    return new Refusal(
        HttpServletResponse.SC_SERVICE_UNAVAILABLE,
        "repository " + name + " cannot be opened now; the server's log says why",
        e);
  }
}
