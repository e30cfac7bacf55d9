// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.e2e.writers;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jgit.lib.Repository;
import org.jgits3.S3RepositoryManager;

/** Makes many projects in the store of a run, without a Gerrit. */
public final class MakeProjects {
  private static final int THREADS = 4;

  private MakeProjects() {}

  /** Name of one of the projects. */
  static String name(int i) {
    return "scale/p%06d".formatted(i);
  }

  /** Takes the port of the store, the recorded project and its change, and the number to make. */
  public static void main(String[] args) throws Exception {
    int count = Integer.parseInt(args[3]);
    AtomicInteger next = new AtomicInteger();
    try (S3RepositoryManager manager = Bucket.open(Integer.parseInt(args[0]));
        Repository recorded = manager.openRepository(args[1])) {
      Replay replay = new Replay(recorded, Integer.parseInt(args[2]));
      List<Callable<Void>> makers = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        makers.add(
            () -> {
              for (int n = next.getAndIncrement(); n < count; n = next.getAndIncrement()) {
                replay.createProject(manager, name(n));
              }
              return null;
            });
      }
      Together.all(makers);
    }
  }
}
