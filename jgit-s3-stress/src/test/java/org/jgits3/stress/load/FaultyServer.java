// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress.load;

import com.sun.management.GarbageCollectionNotificationInfo;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import javax.management.Notification;
import javax.management.NotificationEmitter;
import javax.management.openmbean.CompositeData;
import org.eclipse.jgit.errors.ConfigInvalidException;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.lib.RefUpdate;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.S3Settings;
import org.jgits3.server.Main;

/** A server that leaks whenever it is measured, and forgets a push when it is started again. */
final class FaultyServer {
  private static final int MOST_LEAKS = 4;
  private static int leaks;
  private static final List<Object> LEAKED = new ArrayList<>();

  private FaultyServer() {}

  /**
   * Serves.
   *
   * @param args those of the server, of which the second is the config file
   */
  public static void main(String[] args) throws IOException, ConfigInvalidException {
    Path config = Path.of(args[1]);
    forget(config);
    for (GarbageCollectorMXBean each : ManagementFactory.getGarbageCollectorMXBeans()) {
      ((NotificationEmitter) each).addNotificationListener((n, o) -> leak(n, config), null, null);
    }
    Main.main(args);
  }

  private static void forget(Path config) throws IOException, ConfigInvalidException {
    try (S3RepositoryManager manager = S3RepositoryManager.open(S3Settings.load(config))) {
      Optional<String> pushed =
          manager.list().stream().filter(name -> name.startsWith("pushed")).findFirst();
      if (pushed.isPresent()) {
        try (S3Repository repository = manager.openRepository(pushed.get())) {
          Collection<Ref> branches = repository.getRefDatabase().getRefsByPrefix("refs/heads/c");
          RefUpdate update = repository.updateRef(branches.iterator().next().getName());
          update.setForceUpdate(true);
          update.delete();
        }
      }
    }
  }

  private static synchronized void leak(Notification notification, Path config) {
    String cause =
        GarbageCollectionNotificationInfo.from((CompositeData) notification.getUserData())
            .getGcCause();
    if (!cause.equals("Diagnostic Command") || leaks++ >= MOST_LEAKS) {
      return;
    }
    LEAKED.add(new byte[30 << 20]);
    for (int i = 0; i < 40; i++) {
      Thread thread = new Thread(LockSupport::park);
      thread.setDaemon(true);
      thread.start();
      try {
        LEAKED.add(new FileInputStream(config.toFile()));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
