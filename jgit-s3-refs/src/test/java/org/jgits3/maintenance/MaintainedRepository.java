// SPDX-License-Identifier: Apache-2.0
package org.jgits3.maintenance;

import java.io.IOException;
import java.nio.file.Path;
import org.eclipse.jgit.annotations.Nullable;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.TestRepositories;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Tests of a repository that one process maintains while another uses it. */
abstract class MaintainedRepository {
  static final String MAIN = "refs/heads/main";

  @TempDir Path directory;
  @AutoClose MaintenanceFixture it;

  /** Value of the branch. */
  @Nullable private ObjectId last;

  @BeforeEach
  void open() throws Exception {
    it = new MaintenanceFixture(directory);
  }

  /** Pushes commits to the branch, one after the other; returns the last. */
  ObjectId push(int count) throws IOException {
    for (int i = 0; i < count; i++) {
      String message = "commit " + it.manifest().generation();
      last =
          last == null
              ? TestRepositories.commit(it.user, message)
              : TestRepositories.commit(it.user, message, last);
      TestRepositories.force(it.user, MAIN, last);
    }
    return last;
  }
}
