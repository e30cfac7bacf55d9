// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.transaction;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.jgit.lib.BatchRefUpdate;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.transport.ReceiveCommand;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;

/** A process with little memory that creates refs with many directories. */
final class DeepNamesProcess {
  private DeepNamesProcess() {}

  /**
   * Executes a batch of which one command is refused, and prints the results of the others.
   *
   * @param args directory of the store, and number of refs
   */
  public static void main(String[] args) throws Exception {
    try (S3RepositoryManager manager = TestRepositories.manager(Path.of(args[0]));
        S3Repository repository = manager.createRepository("r")) {
      ObjectId id = TestRepositories.commit(repository, "first");
      BatchRefUpdate batch = repository.getRefDatabase().newBatchUpdate();
      batch.setAtomic(false);
      List<ReceiveCommand> commands = new ArrayList<>();
      for (int i = 0; i < Integer.parseInt(args[1]); i++) {
        String name = "refs/" + i + ("/" + "a".repeat(40)).repeat(98);
        commands.add(new ReceiveCommand(ObjectId.zeroId(), id, name));
      }
      batch.addCommand(commands);
      batch.addCommand(new ReceiveCommand(id, ObjectId.zeroId(), "refs/heads/none"));
      TestRepositories.execute(repository, batch);
      commands.stream().map(ReceiveCommand::getResult).distinct().forEach(System.out::println);
    }
  }
}
