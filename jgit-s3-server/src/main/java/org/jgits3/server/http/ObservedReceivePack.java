// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import org.eclipse.jgit.annotations.Nullable;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.transport.ReceiveCommand;
import org.jgits3.S3Repository;
import org.jgits3.transport.S3ReceivePack;

/** Push that reports its outcome; JGit itself forgets the commands when it is done. */
final class ObservedReceivePack extends S3ReceivePack {
  /** Outcome of a push. */
  enum Outcome {
    /** Every command succeeded. */
    OK,
    /** At least one command was refused. */
    REJECTED,
    /** No command was executed: the pack was refused or did not arrive. */
    FAILED
  }

  private Outcome outcome = Outcome.FAILED;

  ObservedReceivePack(Repository into, Config config) {
    super(into, config);
  }

  /**
   * Receives a push. If the client's old values differ from the known refs, asks the store first,
   * because JGit would refuse the commands if the known refs were stale.
   */
  @Override
  public void receive(InputStream input, OutputStream output, @Nullable OutputStream messages)
      throws IOException {
    InputStream whole = input;
    if (getRepository() instanceof S3Repository repository && !repository.isValidated()) {
      PeekedCommands commands = PeekedCommands.of(input);
      if (!commands.fit(repository)) {
        repository.validate();
      }
      whole = commands.andRest();
    }
    super.receive(whole, output, messages);
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
