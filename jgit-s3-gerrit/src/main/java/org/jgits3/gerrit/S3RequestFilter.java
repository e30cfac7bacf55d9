// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit;

import com.google.gerrit.common.Nullable;
import com.google.gerrit.entities.Project;
import com.google.gerrit.extensions.restapi.Url;
import com.google.gerrit.server.config.GerritServerConfig;
import com.google.inject.Inject;
import java.io.IOException;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.servlet.Filter;
import javax.servlet.FilterChain;
import javax.servlet.FilterConfig;
import javax.servlet.ServletException;
import javax.servlet.ServletRequest;
import javax.servlet.ServletResponse;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import org.eclipse.jgit.lib.Config;
import org.jgits3.gerrit.repository.GerritRequest;
import org.jgits3.gerrit.repository.S3GitRepositoryManager;

/**
 * Tells the repositories where an HTTP request begins and which project it names: {@code
 * httpd.filterClass} of {@code gerrit.config} names this class. The project is validated while
 * Gerrit looks up the user, and a fetch or push that Gerrit queues counts as one request, although
 * it passes the filters twice. Without this filter, such requests take longer and ask the store
 * once more, and a user is unknown while the store does not answer.
 */
public final class S3RequestFilter implements Filter {
  private static final String ATTRIBUTE = S3RequestFilter.class.getName();

  static final Pattern GIT =
      Pattern.compile("/(?:a/|p/)?(.+?)(?:\\.git)?/(?:info/refs|git-upload-pack|git-receive-pack)");

  private static final Pattern CHANGE = Pattern.compile("/(?:a/)?changes/([^/~]+)~[^/]+(?:/.*)?");

  private final S3GitRepositoryManager repositories;

  /** Header by which a proxy says who sends a request; null if none does. */
  @Nullable private final String userHeader;

  @Inject
  S3RequestFilter(S3GitRepositoryManager repositories, @GerritServerConfig Config gerrit) {
    this.repositories = repositories;
    this.userHeader = gerrit.getString("auth", null, "httpHeader");
  }

  @Override
  public void init(FilterConfig unused) {}

  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    GerritRequest its = (GerritRequest) request.getAttribute(ATTRIBUTE);
    if (its == null) {
      its = repositories.begin(project((HttpServletRequest) request));
      request.setAttribute(ATTRIBUTE, its);
    }
    repositories.enter(its);
    try {
      chain.doFilter(request, new StoreFailureResponse((HttpServletResponse) response, its));
    } finally {
      repositories.leave();
    }
  }

  @Override
  public void destroy() {}

  /** Finds the project of a request; none if Gerrit will first ask the client to authenticate. */
  private Optional<Project.NameKey> project(HttpServletRequest request) {
    String path = request.getRequestURI().substring(request.getContextPath().length());
    boolean isNobodys =
        Stream.of("Authorization", "Cookie", userHeader)
            .filter(Objects::nonNull)
            .allMatch(header -> request.getHeader(header) == null);
    return path.startsWith("/a/") && isNobodys ? Optional.empty() : project(path);
  }

  /**
   * Finds the project that a path names.
   *
   * @param path path of a request below that of Gerrit, encoded
   */
  static Optional<Project.NameKey> project(String path) {
    Matcher git = GIT.matcher(path);
    Matcher change = CHANGE.matcher(path);
    try {
      return git.matches()
          ? Optional.of(Project.nameKey(Url.decode(git.group(1).replace("+", "%2B"))))
          : change.matches()
              ? Optional.of(Project.nameKey(Url.decode(change.group(1))))
              : Optional.empty();
    } catch (IllegalArgumentException e) {
      return Optional.empty(); // badly encoded, as Gerrit will report
    }
  }
}
