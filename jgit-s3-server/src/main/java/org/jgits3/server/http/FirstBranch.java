// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.lib.RefUpdate;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.transport.PostReceiveHook;
import org.eclipse.jgit.transport.ReceiveCommand;
import org.eclipse.jgit.transport.ReceivePack;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Points an unborn {@code HEAD} at the branch that was pushed first. A repository created by a push
 * has no default branch yet; without this hook a clone would check nothing out.
 */
final class FirstBranch implements PostReceiveHook {
  private static final Logger LOG = LoggerFactory.getLogger(FirstBranch.class);

  /** Preferred branches for {@code HEAD} if several are pushed at once. */
  private static final List<String> PREFERRED =
      List.of(Constants.R_HEADS + "main", Constants.R_HEADS + Constants.MASTER);

  @Override
  public void onPostReceive(ReceivePack rp, Collection<ReceiveCommand> commands) {
    List<String> created =
        commands.stream()
            .filter(command -> command.getType() == ReceiveCommand.Type.CREATE)
            .map(ReceiveCommand::getRefName)
            .filter(ref -> ref.startsWith(Constants.R_HEADS))
            .toList();
    choice(created).ifPresent(branch -> link(rp.getRepository(), branch));
  }

  private static Optional<String> choice(List<String> created) {
    return created.size() == 1
        ? Optional.of(created.get(0))
        : PREFERRED.stream().filter(created::contains).findFirst();
  }

  /** Links {@code HEAD}. Only logs a failure, because the push is already committed. */
  private static void link(Repository repository, String branch) {
    try {
      Ref head = repository.exactRef(Constants.HEAD);
      if (head != null && head.getObjectId() != null) {
        return;
      }
      RefUpdate update = repository.updateRef(Constants.HEAD);
      update.setExpectedOldObjectId(ObjectId.zeroId()); // of concurrent pushes, one wins
      RefUpdate.Result result = update.link(branch);
      LOG.info("{}: HEAD to be {}: {}", repository, branch, result);
    } catch (IOException e) {
      LOG.warn("{}: HEAD stays unborn", repository, e);
    }
  }
}
