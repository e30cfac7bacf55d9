// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.e2e.writers;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import org.eclipse.jgit.errors.ConfigInvalidException;
import org.jgits3.S3RepositoryManager;
import org.jgits3.maintenance.LeaseKeeper;

/** Holds a lease of the store of a run until it is ended, as a Gerrit does that runs a task. */
public final class HoldLease {
  private HoldLease() {}

  /** Takes the port of the store, and the key of the lease. Prints a line when it holds it. */
  public static void main(String[] args)
      throws IOException, ConfigInvalidException, InterruptedException {
    CountDownLatch ended = new CountDownLatch(1);
    try (S3RepositoryManager manager = Bucket.open(Integer.parseInt(args[0]));
        LeaseKeeper lease = LeaseKeeper.tryAcquire(manager.store(), args[1]).orElseThrow()) {
      System.out.println("holds " + lease);
      ended.await();
    }
  }
}
