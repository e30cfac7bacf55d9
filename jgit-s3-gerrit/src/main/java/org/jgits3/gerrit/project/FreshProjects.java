// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.project;

import com.google.gerrit.server.project.ProjectCacheImpl;
import com.google.gerrit.server.restapi.project.ProjectsCollection;
import com.google.inject.AbstractModule;
import com.google.inject.Provider;
import com.google.inject.matcher.Matchers;
import org.aopalliance.intercept.MethodInterceptor;

/**
 * Intercepts what requests ask of Gerrit's cache of projects, see {@link ProjectsOfRequest}. Gerrit
 * offers no way to replace the cache.
 */
public final class FreshProjects extends AbstractModule {
  @Override
  protected void configure() {
    Provider<ProjectsOfRequest> projects = getProvider(ProjectsOfRequest.class);
    intercept(ProjectCacheImpl.class, "all", call -> projects.get().all(call));
    intercept(ProjectCacheImpl.class, "byName", call -> projects.get().byName(call));
    intercept(ProjectCacheImpl.class, "get", call -> projects.get().get(call));
    intercept(ProjectsCollection.class, "parse", call -> projects.get().parse(call));
  }

  private void intercept(Class<?> type, String name, MethodInterceptor interceptor) {
    bindInterceptor(
        Matchers.only(type),
        method -> method.getName().equals(name) && !method.isBridge(),
        interceptor);
  }
}
