// SPDX-License-Identifier: Apache-2.0
package org.jgits3.examples;

import jakarta.servlet.http.HttpServletRequest;
import org.eclipse.jgit.errors.RepositoryNotFoundException;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.transport.ServiceMayNotContinueException;
import org.eclipse.jgit.transport.resolver.RepositoryResolver;
import org.eclipse.jgit.transport.resolver.ServiceNotAuthorizedException;
import org.eclipse.jgit.transport.resolver.ServiceNotEnabledException;
import org.jgits3.S3RepositoryManager;

/**
 * Resolves names below a directory for each tenant, who is the user of the request.
 *
 * <p>A resolver of one's own decides who may see what, and leaves opening, deferred packs and
 * status codes to the one of the manager.
 */
public final class TenantResolver implements RepositoryResolver<HttpServletRequest> {
  private final RepositoryResolver<HttpServletRequest> all;

  /**
   * Creates a resolver.
   *
   * @param manager of the store that holds the repositories of all tenants
   */
  public TenantResolver(S3RepositoryManager manager) {
    all = manager.asResolver();
  }

  @Override
  public Repository open(HttpServletRequest request, String name)
      throws RepositoryNotFoundException,
          ServiceNotAuthorizedException,
          ServiceNotEnabledException,
          ServiceMayNotContinueException {
    String tenant = request.getRemoteUser();
    if (tenant == null) {
      throw new ServiceNotAuthorizedException();
    }
    return all.open(request, tenant + "/" + name);
  }
}
