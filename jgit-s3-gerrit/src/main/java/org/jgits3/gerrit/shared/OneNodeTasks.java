// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.shared;

import com.google.common.flogger.FluentLogger;
import com.google.gerrit.server.account.AccountDeactivator;
import com.google.gerrit.server.account.AuthTokenExpiryNotifier;
import com.google.gerrit.server.change.AttentionSetOwnerAdder;
import com.google.gerrit.server.change.ChangeCleanupRunner;
import com.google.gerrit.server.change.DraftCommentsCleanupRunner;
import com.google.gerrit.server.git.GarbageCollectionRunner;
import com.google.gerrit.server.git.GitRepositoryManager;
import com.google.inject.AbstractModule;
import com.google.inject.Provider;
import com.google.inject.matcher.Matchers;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.aopalliance.intercept.MethodInterceptor;
import org.jgits3.gerrit.repository.S3GitRepositoryManager;
import org.jgits3.maintenance.LeaseKeeper;

/**
 * Runs each task that Gerrit schedules on one node at a time; the other nodes skip the task while a
 * lease in the store is held. The lease only saves work and mails, because concurrent runs of these
 * tasks do no harm.
 *
 * <p>Gerrit offers no way to replace its runners, nor the locks that some of them take, so their
 * {@code run()} is intercepted.
 */
public final class OneNodeTasks extends AbstractModule {
  private static final FluentLogger LOG = FluentLogger.forEnclosingClass();

  private static final String PREFIX = "gerrit-tasks/";

  /** Tasks that find nothing to do when another node has just done them. */
  private static final List<Class<? extends Runnable>> REPEATABLE =
      List.of(
          AccountDeactivator.class,
          AttentionSetOwnerAdder.class,
          ChangeCleanupRunner.class,
          DraftCommentsCleanupRunner.class,
          GarbageCollectionRunner.class);

  /** Task that sends the same mails again, and is scheduled for the same moment on all nodes. */
  private static final Class<? extends Runnable> MAILER = AuthTokenExpiryNotifier.class;

  @Override
  protected void configure() {
    REPEATABLE.forEach(task -> intercept(task, LeaseKeeper::close));
    intercept(MAILER, LeaseKeeper::leave);
  }

  private void intercept(Class<? extends Runnable> task, Consumer<LeaseKeeper> end) {
    Provider<GitRepositoryManager> repositories = getProvider(GitRepositoryManager.class);
    MethodInterceptor leased =
        run -> {
          S3GitRepositoryManager stored = (S3GitRepositoryManager) repositories.get();
          Optional<LeaseKeeper> lease = lease(stored, task.getSimpleName());
          if (lease.isEmpty()) {
            return null;
          }
          try {
            return run.proceed();
          } finally {
            end.accept(lease.get());
          }
        };
    bindInterceptor(Matchers.only(task), method -> method.getName().equals("run"), leased);
  }

  private static Optional<LeaseKeeper> lease(S3GitRepositoryManager repositories, String task) {
    try {
      Optional<LeaseKeeper> lease = LeaseKeeper.tryAcquire(repositories.store(), PREFIX + task);
      if (lease.isEmpty()) {
        LOG.atInfo().log("%s is left out: it is running already, or has just run", task);
      }
      return lease;
    } catch (IOException e) {
      LOG.atWarning().log("%s is left out: %s", task, e.getMessage());
      return Optional.empty();
    }
  }
}
