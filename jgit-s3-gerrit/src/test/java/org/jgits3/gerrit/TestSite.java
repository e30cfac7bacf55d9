// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit;

import com.google.gerrit.metrics.DisabledMetricMaker;
import com.google.gerrit.metrics.MetricMaker;
import com.google.gerrit.server.CurrentUser;
import com.google.gerrit.server.InternalUser;
import com.google.gerrit.server.config.GerritRuntime;
import com.google.gerrit.server.config.GerritServerConfig;
import com.google.gerrit.server.config.GerritServerConfigProvider;
import com.google.gerrit.server.config.GerritServerId;
import com.google.gerrit.server.config.SitePath;
import com.google.gerrit.server.git.GitRepositoryManager;
import com.google.gerrit.server.git.LocalDiskRepositoryManager;
import com.google.gerrit.server.securestore.DefaultSecureStore;
import com.google.gerrit.server.securestore.SecureStore;
import com.google.gerrit.server.util.OneOffRequestContext;
import com.google.gerrit.server.util.RequestContext;
import com.google.gerrit.server.util.ThreadLocalRequestContext;
import com.google.inject.AbstractModule;
import com.google.inject.Guice;
import com.google.inject.Injector;
import com.google.inject.Module;
import com.google.inject.util.Modules;
import java.lang.reflect.Constructor;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import org.eclipse.jgit.lib.Config;
import org.jgits3.gerrit.repository.S3GitRepositoryManager;

/**
 * A site of Gerrit, and the part of its injector that repositories need, of Gerrit's own classes.
 */
public final class TestSite {
  private final Path directory;
  private String serverId = "11111111-2222-3333-4444-555555555555";

  public TestSite(Path directory, String config) throws Exception {
    this.directory = directory;
    Files.createDirectories(directory.resolve("etc"));
    Files.createDirectories(directory.resolve("git"));
    write("gerrit.config", "[gerrit]\n basePath = git\n" + config);
  }

  /** A site below a directory, with its store there, too. */
  public static TestSite below(Path directory) throws Exception {
    return new TestSite(directory.resolve("site"), "[s3]\n store = file:" + directory + "/store\n");
  }

  /** Settings of a store in a bucket, whose requests are given up soon. */
  public static String bucket(URI endpoint, String name) {
    return """
        [s3]
          store = s3://%s/git
          endpoint = %s
          region = us-east-1
          pathStyle = true
          requestDeadline = 1 s
        """
        .formatted(name, endpoint);
  }

  public TestSite write(String file, String text) throws Exception {
    Files.writeString(directory.resolve("etc").resolve(file), text);
    return this;
  }

  public TestSite serverId(String id) {
    serverId = id;
    return this;
  }

  public Injector injector(GerritRuntime runtime, Module... more) {
    return Guice.createInjector(
        Modules.combine(more),
        new S3DbModule(),
        new AbstractModule() {
          @Override
          protected void configure() {
            bind(Path.class).annotatedWith(SitePath.class).toInstance(directory);
            bind(SecureStore.class).to(DefaultSecureStore.class);
            bind(GerritRuntime.class).toInstance(runtime);
            bind(String.class).annotatedWith(GerritServerId.class).toInstance(serverId);
            bind(MetricMaker.class).to(DisabledMetricMaker.class);
            bind(Config.class)
                .annotatedWith(GerritServerConfig.class)
                .toProvider(GerritServerConfigProvider.class);
          }
        });
  }

  public S3GitRepositoryManager manager(GerritRuntime runtime) {
    return (S3GitRepositoryManager) injector(runtime).getInstance(GitRepositoryManager.class);
  }

  /** Requests of Gerrit itself, as the server makes them. */
  public static OneOffRequestContext requests() throws Exception {
    Constructor<?> make = OneOffRequestContext.class.getDeclaredConstructors()[0];
    make.setAccessible(true);
    InternalUser.Factory user = () -> null;
    return (OneOffRequestContext)
        make.newInstance(
            user, Guice.createInjector().getInstance(ThreadLocalRequestContext.class), null);
  }

  /** Begins a request in this thread. */
  public static RequestContext begin(ThreadLocalRequestContext requests) {
    RequestContext context = new RequestContext() { // a lambda would be the same object each time
          @Override
          public CurrentUser getUser() {
            return null;
          }
        };
    requests.setContext(context);
    return context;
  }

  public LocalDiskRepositoryManager localDisk() {
    return injector(GerritRuntime.BATCH).getInstance(LocalDiskRepositoryManager.class);
  }
}
