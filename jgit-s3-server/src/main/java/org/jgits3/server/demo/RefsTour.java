// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.demo;

import java.io.IOException;
import java.util.Random;
import org.eclipse.jgit.lib.BatchRefUpdate;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.revwalk.RevWalk;
import org.eclipse.jgit.transport.ReceiveCommand;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;

/** Part of the tour with many refs, as a code review server has them. */
final class RefsTour {
  private static final int LOOK_UPS = 1000;
  private static final int SCANS = 100;

  /** Number of directories {@code refs/changes/00/} to {@code 99/}. */
  private static final int DIRECTORIES = 100;

  private final Tour tour;
  private final S3RepositoryManager manager;
  private final String name;
  private final int refs;
  private final Random random = new Random(1);

  RefsTour(Tour tour, S3RepositoryManager manager, String name, int refs) {
    this.tour = tour;
    this.manager = manager;
    this.name = name;
    this.refs = refs;
  }

  void take() throws IOException, InterruptedException {
    try (S3Repository repository = manager.openRepository(name)) {
      ObjectId target = repository.resolve("refs/heads/main");
      tour.step("create " + refs + " refs in one batch", () -> create(repository, target));
      tour.step(LOOK_UPS + " look-ups by name", () -> lookUp(repository, target));
      tour.step(SCANS + " scans by prefix", () -> scan(repository));
    }
  }

  private static String ref(int number) {
    return String.format("refs/changes/%02d/%d/1", number % DIRECTORIES, number);
  }

  private void create(S3Repository repository, ObjectId target) throws IOException {
    BatchRefUpdate batch = repository.getRefDatabase().newBatchUpdate();
    for (int number = 0; number < refs; number++) {
      batch.addCommand(new ReceiveCommand(ObjectId.zeroId(), target, ref(number)));
    }
    try (RevWalk walk = new RevWalk(repository)) {
      batch.execute(walk, NullProgressMonitor.INSTANCE);
    }
    for (ReceiveCommand command : batch.getCommands()) {
      Tour.check(command.getResult() == ReceiveCommand.Result.OK, "not created: " + command);
    }
  }

  private void lookUp(S3Repository repository, ObjectId target) throws IOException {
    for (int i = 0; i < LOOK_UPS; i++) {
      String wanted = ref(random.nextInt(refs));
      Ref found = repository.exactRef(wanted);
      Tour.check(found != null && target.equals(found.getObjectId()), "not found: " + wanted);
    }
  }

  private void scan(S3Repository repository) throws IOException {
    for (int i = 0; i < SCANS; i++) {
      int directory = i % DIRECTORIES;
      String prefix = String.format("refs/changes/%02d/", directory);
      int found = repository.getRefDatabase().getRefsByPrefix(prefix).size();
      int expected = (refs - directory + DIRECTORIES - 1) / DIRECTORIES;
      Tour.check(found == expected, "found " + found + " refs under " + prefix + " of " + expected);
    }
  }
}
