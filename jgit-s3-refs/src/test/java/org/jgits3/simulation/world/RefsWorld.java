// SPDX-License-Identifier: Apache-2.0
package org.jgits3.simulation.world;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectInserter;
import org.jgits3.Purpose;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.internal.refs.transaction.Folds;

/** Refs that are updated, deleted and looked up, one or several at once, folded and swept. */
public final class RefsWorld extends RepositoryWorld {
  private static final int REFS = 4;
  private static final List<ObjectId> VALUES = new ArrayList<>();

  private int values;

  /** Makes a world. */
  public RefsWorld() {}

  @Override
  void begin(S3RepositoryManager manager) throws IOException {
    try (S3Repository repository = manager.openRepository(NAME);
        ObjectInserter inserter = repository.newObjectInserter()) {
      for (int i = 0; i < 100; i++) {
        VALUES.add(inserter.insert(Constants.OBJ_BLOB, new byte[] {(byte) i}));
      }
      inserter.flush();
    }
  }

  @Override
  void act(S3RepositoryManager manager) throws IOException {
    int what = random.nextInt(14) - 2;
    if (what <= 0) {
      sweep(NAME, manager);
    } else if (what == 1) {
      list(NAME, manager);
    } else {
      int began = history.now();
      try (S3Repository repository =
          random.nextBoolean()
              ? manager.openRepository(NAME)
              : manager.openRepository(NAME, Purpose.request())) {
        switch (what) {
          case 2 -> look(NAME, repository, began, ref(random.nextInt(REFS)));
          case 3, 4 -> fold(repository);
          case 5, 6, 7 -> batch(NAME, repository, changes());
          default -> update(NAME, repository, change(random.nextInt(REFS)));
        }
      }
    }
  }

  private void fold(S3Repository repository) throws IOException {
    boolean all = random.nextInt(4) == 0;
    scheduler.trace(() -> all ? "compact" : "fold");
    if (all) {
      repository.getRefDatabase().compact();
    } else {
      Folds.fold(repository);
    }
  }

  private static String ref(int number) {
    return "refs/x/" + number;
  }

  private List<History.Change> changes() {
    List<History.Change> changes = new ArrayList<>();
    int first = random.nextInt(REFS);
    int count = 1 + random.nextInt(REFS - 1);
    for (int i = 0; i < count; i++) {
      changes.add(change((first + i) % REFS));
    }
    return changes;
  }

  private History.Change change(int number) {
    String expected = expected(NAME, ref(number), VALUES);
    boolean delete = !expected.isEmpty() && random.nextInt(4) == 0;
    return new History.Change(
        ref(number), expected, delete ? "" : VALUES.get(values++ % VALUES.size()).name());
  }

  @Override
  void check(S3RepositoryManager manager) throws IOException {
    list(NAME, manager);
    checkLog(NAME, manager);
  }
}
