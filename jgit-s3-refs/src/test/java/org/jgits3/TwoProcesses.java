// SPDX-License-Identifier: Apache-2.0
package org.jgits3;

import java.io.IOException;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.store.ObjectStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Tests of one process, here, beside another one elsewhere that uses the same repository. */
public abstract class TwoProcesses {
  protected S3RepositoryManager elsewhere;
  protected S3RepositoryManager manager;
  protected S3Repository there;
  protected S3Repository here;
  protected ObjectId first;
  protected ObjectId second;

  /** Opens the store that both use, once more. */
  protected abstract ObjectStore store() throws IOException;

  /** Opens the store as the process here sees it. */
  protected abstract ObjectStore storeHere() throws IOException;

  @BeforeEach
  void createElsewhere() throws Exception {
    elsewhere = TestRepositories.manager(store());
    there = elsewhere.createRepository("r");
    first = TestRepositories.commit(there, "first");
    second = TestRepositories.commit(there, "second", first);
  }

  @AfterEach
  void closeBoth() throws IOException {
    there.close();
    elsewhere.close();
    if (here != null) {
      here.close();
    }
    if (manager != null) {
      manager.close();
    }
  }

  /** Starts the process here. */
  protected void start(String validate) throws Exception {
    manager = TestRepositories.manager(storeHere(), "[s3 \"refs\"]\nvalidate = " + validate);
  }

  /** Opens the repository here. */
  protected void open(String validate) throws Exception {
    start(validate);
    here = manager.openRepository("r");
  }
}
