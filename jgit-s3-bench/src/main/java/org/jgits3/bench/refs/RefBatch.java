// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.refs;

import java.io.IOException;
import java.util.List;
import org.eclipse.jgit.lib.BatchRefUpdate;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.revwalk.RevWalk;
import org.eclipse.jgit.transport.ReceiveCommand;

/** Many changes of refs at once. */
public final class RefBatch {
  private RefBatch() {}

  /** Creates refs whose objects do not exist, without a log of it. */
  static void createAll(Repository repository, List<Ref> refs) throws IOException {
    BatchRefUpdate batch = repository.getRefDatabase().newBatchUpdate();
    batch.disableRefLog();
    refs.forEach(ref -> batch.addCommand(creation(ref, ref.getObjectId())));
    try (RevWalk walk = new RevWalk(new ImaginaryObjects(refs))) {
      execute(batch, walk);
    }
  }

  static ReceiveCommand creation(Ref ref, ObjectId id) {
    return new ReceiveCommand(ObjectId.zeroId(), id, ref.getName());
  }

  /**
   * Executes commands in one batch.
   *
   * @param repository where
   * @param commands the commands
   * @throws IOException if one was refused
   */
  public static void execute(Repository repository, List<ReceiveCommand> commands)
      throws IOException {
    BatchRefUpdate batch = repository.getRefDatabase().newBatchUpdate();
    batch.addCommand(commands);
    try (RevWalk walk = new RevWalk(repository)) {
      execute(batch, walk);
    }
  }

  private static void execute(BatchRefUpdate batch, RevWalk walk) throws IOException {
    batch.setAllowNonFastForwards(true);
    batch.execute(walk, NullProgressMonitor.INSTANCE);
    for (ReceiveCommand command : batch.getCommands()) {
      if (command.getResult() != ReceiveCommand.Result.OK) {
        throw new IOException(
            "refused: " + command + " " + command.getResult() + " " + command.getMessage());
      }
    }
  }
}
