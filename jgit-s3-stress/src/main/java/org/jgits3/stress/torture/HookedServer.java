// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress.torture;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Collection;
import java.util.SplittableRandom;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.transport.Daemon;
import org.eclipse.jgit.transport.DaemonClient;
import org.eclipse.jgit.transport.ReceiveCommand;
import org.eclipse.jgit.transport.ReceivePack;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;

/**
 * A server that embeds the library, in the JVM of a worker: JGit's daemon, with hooks that read
 * what is pushed, insert objects on top of it, set refs to them, and refuse some pushes.
 */
final class HookedServer {
  private final S3RepositoryManager manager;
  private final RefWork refs;
  private final SplittableRandom random; // guarded by this

  HookedServer(S3RepositoryManager manager, RefWork refs, SplittableRandom random) {
    this.manager = manager;
    this.refs = refs;
    this.random = random;
  }

  /**
   * Starts it.
   *
   * @param file gets the port
   */
  void start(Path file) throws IOException {
    InetAddress loopback = InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
    Daemon daemon = new Daemon(new InetSocketAddress(loopback, 0));
    daemon.setRepositoryResolver(manager.<DaemonClient>asResolver());
    daemon.setReceivePackFactory(
        (client, repository) -> {
          ReceivePack push = new ReceivePack(repository);
          push.setAtomic(true);
          push.setPreReceiveHook(this::received);
          return push;
        });
    daemon.getService("git-receive-pack").setEnabled(true);
    daemon.start();
    Path written = Files.writeString(Path.of(file + ".tmp"), "" + daemon.getAddress().getPort());
    Files.move(written, file, StandardCopyOption.ATOMIC_MOVE);
  }

  private synchronized int choose(int bound) {
    return random.nextInt(bound);
  }

  private void received(ReceivePack push, Collection<ReceiveCommand> commands) {
    int kind = choose(6);
    ReceiveCommand first = commands.iterator().next();
    if (kind == 0) {
      commands.forEach(
          c -> c.setResult(ReceiveCommand.Result.REJECTED_OTHER_REASON, "refused by the hook"));
      return;
    }
    if (kind > 3 || first.getType() == ReceiveCommand.Type.DELETE) {
      return;
    }
    try {
      if (kind == 1) {
        refs.onTopOf(push.getRepository(), first);
      } else {
        onTopOfElsewhere(push.getRepository(), first, kind == 2);
      }
    } catch (IOException e) {
      commands.forEach(c -> c.setResult(ReceiveCommand.Result.REJECTED_OTHER_REASON, "" + e));
    }
  }

  /** Does it through a handle of the hook's own, after which the push may be refused. */
  private void onTopOfElsewhere(Repository pushed, ReceiveCommand command, boolean refuses)
      throws IOException {
    String name = ((S3Repository) pushed).getDescription().getRepositoryName();
    try (S3Repository handle = manager.openRepository(name)) {
      refs.onTopOf(handle, command);
    }
    if (refuses) {
      command.setResult(ReceiveCommand.Result.REJECTED_OTHER_REASON, "refused after its hook");
    }
  }
}
