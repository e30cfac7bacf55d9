// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http;

import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.transport.ReceiveCommand;
import org.eclipse.jgit.transport.ReceivePack;

/** A push that tells how it ended; JGit itself forgets the commands when it is done. */
final class ObservedReceivePack extends ReceivePack {
  /** How a push ended. */
  enum Outcome {
    /** Every command succeeded. */
    OK,
    /** At least one command was refused. */
    REJECTED,
    /** It never came to its commands: the pack was refused or did not arrive. */
    FAILED
  }

  private Outcome outcome = Outcome.FAILED;

  ObservedReceivePack(Repository into) {
    super(into);
  }

  @Override
  protected void executeCommands() {
    super.executeCommands();
    boolean all =
        getAllCommands().stream()
            .allMatch(command -> command.getResult() == ReceiveCommand.Result.OK);
    outcome = all ? Outcome.OK : Outcome.REJECTED;
  }

  Outcome outcome() {
    return outcome;
  }
}
