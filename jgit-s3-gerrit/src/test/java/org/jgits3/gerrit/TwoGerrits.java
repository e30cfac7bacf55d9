// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit;

import com.google.gerrit.server.config.GerritRuntime;
import com.google.gerrit.server.git.GitRepositoryManager;
import com.google.gerrit.server.util.ThreadLocalRequestContext;
import com.google.inject.Guice;
import com.google.inject.Injector;
import com.google.inject.Module;
import java.nio.file.Path;
import org.jgits3.gerrit.repository.S3GitRepositoryManager;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Two Gerrits on one store, as far as their repositories go, and the requests of this thread. */
public abstract class TwoGerrits {
  protected final ThreadLocalRequestContext requests =
      Guice.createInjector().getInstance(ThreadLocalRequestContext.class);

  @TempDir protected Path directory;
  protected TestSite site;

  /** The injector of the first Gerrit. */
  protected Injector node;

  protected S3GitRepositoryManager here;
  protected S3GitRepositoryManager there;

  @BeforeEach
  protected final void startBoth() throws Exception {
    String store = "[s3]\n store = file:" + directory.resolve("store") + "\n";
    site = new TestSite(directory.resolve("here"), store);
    node = site.injector(GerritRuntime.BATCH, modules());
    here = (S3GitRepositoryManager) node.getInstance(GitRepositoryManager.class);
    there = new TestSite(directory.resolve("there"), store).manager(GerritRuntime.BATCH);
  }

  /** Modules of the first Gerrit beside those of repositories. */
  protected Module[] modules() {
    return new Module[0];
  }

  @AfterEach
  protected final void stopBoth() {
    requests.setContext(null);
    here.stop();
    there.stop();
  }
}
