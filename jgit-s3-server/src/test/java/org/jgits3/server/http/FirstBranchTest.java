// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.transport.ReceiveCommand;
import org.eclipse.jgit.transport.ReceivePack;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.store.DelegatingObjectStore;
import org.jgits3.store.MemoryObjectStore;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.Precondition;
import org.jgits3.store.PutOutcome;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Pushes by two servers to a repository that has no branch. */
class FirstBranchTest {
  private static final String ONE = "refs/heads/one";
  private static final String TWO = "refs/heads/two";

  private final ObjectStore store = new MemoryObjectStore();
  private S3RepositoryManager there;
  private S3Repository remote;

  /** Action of the other server before the next write of this one. */
  private Step before = () -> {};

  @FunctionalInterface
  private interface Step {
    void run() throws IOException;
  }

  /** The store as this server has it. */
  private final class Here extends DelegatingObjectStore {
    Here() {
      super(store);
    }

    @Override
    public PutOutcome putIf(String key, byte[] body, Precondition precondition) throws IOException {
      Step step = before;
      before = () -> {};
      step.run();
      return super.putIf(key, body, precondition);
    }

    @Override
    public void close() {
      // The other server goes on.
    }
  }

  @BeforeEach
  void create() throws Exception {
    there = TestRepositories.manager(store);
    remote = there.createRepository("r");
  }

  @AfterEach
  void close() throws IOException {
    remote.close();
    there.close();
  }

  private static ReceiveCommand create(S3Repository repository, String branch) throws IOException {
    ObjectId id = TestRepositories.commit(repository, branch);
    TestRepositories.createRef(repository, branch, id);
    return new ReceiveCommand(ObjectId.zeroId(), id, branch);
  }

  private static void received(S3Repository repository, ReceiveCommand command) {
    new FirstBranch().onPostReceive(new ReceivePack(repository), List.of(command));
  }

  @Test
  void of_pushes_that_end_together_one_sets_HEAD_and_it_stays() throws Exception {
    try (S3RepositoryManager here = TestRepositories.manager(new Here());
        S3Repository local = here.openRepository("r")) {
      ReceiveCommand one = create(local, ONE);
      ReceiveCommand two = create(remote, TWO);
      before = () -> received(remote, two);
      received(local, one);
      assertThat(remote.exactRef(Constants.HEAD).getTarget().getName()).isEqualTo(TWO);
    }
  }

  @Test
  void a_branch_that_HEAD_leads_to_meanwhile_stays_HEAD() throws Exception {
    try (S3RepositoryManager here = TestRepositories.manager(new Here());
        S3Repository local = here.openRepository("r")) {
      ReceiveCommand one = create(local, ONE);
      before = () -> create(remote, "refs/heads/master");
      received(local, one);
      assertThat(remote.exactRef(Constants.HEAD).getTarget().getName())
          .isEqualTo("refs/heads/master");
    }
  }
}
