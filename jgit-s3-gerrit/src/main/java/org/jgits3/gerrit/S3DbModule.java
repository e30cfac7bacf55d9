// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit;

import com.google.gerrit.lifecycle.LifecycleModule;
import com.google.gerrit.server.ModuleImpl;
import com.google.gerrit.server.git.GitRepositoryManager;
import com.google.gerrit.server.git.GitRepositoryManagerModule;
import org.jgits3.gerrit.repository.S3GitRepositoryManager;

/**
 * Puts the repositories of a Gerrit into a bucket: {@code gerrit.installDbModule} of {@code
 * gerrit.config} names this class. Takes the place of the module that keeps them on a local disk.
 */
@ModuleImpl(name = GitRepositoryManagerModule.MANAGER_MODULE)
public final class S3DbModule extends LifecycleModule {
  /** Created by Gerrit. */
  public S3DbModule() {}

  @Override
  protected void configure() {
    bind(GitRepositoryManager.class).to(S3GitRepositoryManager.class);
    listener().to(S3GitRepositoryManager.class);
  }
}
