// SPDX-License-Identifier: Apache-2.0
package org.jgits3.transport;

import java.io.IOException;
import java.util.Optional;
import org.eclipse.jgit.errors.CancelledException;
import org.eclipse.jgit.lib.EmptyProgressMonitor;
import org.eclipse.jgit.transport.ReceiveCommand;
import org.eclipse.jgit.transport.ReceiveCommandErrorHandler;
import org.jgits3.S3Repository;

/**
 * Refuses the updates of a push that JGit would compare with the old commits for too long. For each
 * command JGit walks through the history between the two, and asks the monitor of the walk before.
 * Used by one thread.
 */
final class LimitedComparisons extends EmptyProgressMonitor implements ReceiveCommandErrorHandler {
  private final S3Repository repository;

  LimitedComparisons(S3Repository repository) {
    this.repository = repository;
  }

  /** As documented by JGit, which then calls the handler. */
  @Override
  public boolean isCancelled() {
    return repository.getObjectDatabase().checkComparisons().isPresent();
  }

  @Override
  public void handleFastForwardCheckException(ReceiveCommand command, IOException e) {
    Optional<String> why = repository.getObjectDatabase().checkComparisons();
    if (e instanceof CancelledException && why.isPresent()) {
      command.setResult(ReceiveCommand.Result.REJECTED_OTHER_REASON, why.get());
    } else {
      ReceiveCommandErrorHandler.super.handleFastForwardCheckException(command, e);
    }
  }
}
