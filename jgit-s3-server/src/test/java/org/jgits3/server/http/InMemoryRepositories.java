// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.eclipse.jgit.internal.storage.dfs.DfsRepositoryDescription;
import org.eclipse.jgit.internal.storage.dfs.InMemoryRepository;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.transport.resolver.RepositoryResolver;
import org.jgits3.server.http.limit.Refusal;

/** Repositories without a store, for tests of what the server does in front of them. */
final class InMemoryRepositories implements RepositoryResolver<HttpServletRequest> {
  private final Map<String, InMemoryRepository> byName = new ConcurrentHashMap<>();

  InMemoryRepository create(String name) throws IOException {
    InMemoryRepository repository = new InMemoryRepository(new DfsRepositoryDescription(name));
    repository.updateRef(Constants.HEAD).link("refs/heads/master");
    byName.put(name, repository);
    return repository;
  }

  @Override
  public Repository open(HttpServletRequest req, String name) {
    InMemoryRepository repository = byName.get(name);
    if (repository == null) {
      throw new Refusal(HttpServletResponse.SC_NOT_FOUND, "no repository " + name, null);
    }
    repository.incrementOpen();
    return repository;
  }
}
