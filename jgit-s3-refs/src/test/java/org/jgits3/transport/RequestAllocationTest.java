// SPDX-License-Identifier: Apache-2.0
package org.jgits3.transport;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.jgit.errors.MissingObjectException;
import org.eclipse.jgit.errors.UnpackException;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.transport.UploadPack;
import org.jgits3.Purpose;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.testing.Holds;
import org.jgits3.testing.PackBytes;
import org.jgits3.testing.aid.GitRequests;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that requests allocate as much in a repository of 100,000 refs as in one of 10. */
@Holds(
    "AdvertisedRefs, Connectivity: Pushes, fetches and advertisements allocate nothing for refs "
        + "that they do not name")
class RequestAllocationTest {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private static final int FEW = 10;
  private static final int MANY = 100_000;
  private static final int ROUNDS = 12;

  /** Bytes by which requests may differ; a single reference for each ref would be 400,000. */
  private static final long LEEWAY = 100_000;

  @TempDir Path directory;
  @AutoClose private S3RepositoryManager manager;
  private ObjectId root;

  @BeforeEach
  void create() throws Exception {
    manager = TestRepositories.manager(directory, "[s3 \"refs\"]\nvalidate = 1 h");
    create("few", FEW);
  }

  private void create(String name, int refs) throws IOException {
    try (S3Repository repository = manager.createRepository(name)) {
      root = TestRepositories.commit(repository, "root");
      TestRepositories.createAll(
          repository, root, refs, i -> "refs/changes/%02d/%06d/1".formatted(i % 100, i));
      repository.getRefDatabase().compact();
    }
  }

  /** Serves a request in a repository. */
  @FunctionalInterface
  private interface Request {
    void serve(S3Repository repository, int round) throws Exception;
  }

  private long allocated(String name, Request request) throws Exception {
    long least = Long.MAX_VALUE;
    for (int round = 0; round < ROUNDS; round++) {
      try (S3Repository repository = manager.openRepository(name, Purpose.request())) {
        long before = THREADS.getThreadAllocatedBytes(Thread.currentThread().getId());
        request.serve(repository, round);
        long after = THREADS.getThreadAllocatedBytes(Thread.currentThread().getId());
        least = Math.min(least, after - before);
      }
    }
    return least;
  }

  private void assertNoMore(Request request) throws Exception {
    long few = allocated("few", request);
    assertThat(allocated("many", request)).isLessThan(few + LEEWAY);
  }

  @Test
  void a_push_allocates_nothing_for_refs_that_it_does_not_name() throws Exception {
    create("many", MANY);
    List<byte[]> pushes = new ArrayList<>();
    try (Repository client = manager.createRepository("client")) {
      TestRepositories.commit(client, "root");
      for (int round = 0; round < ROUNDS; round++) {
        pushes.add(push(client, branch(round)));
      }
    }
    assertNoMore((repository, round) -> push(repository, pushes.get(round), branch(round)));
  }

  private static String branch(int round) {
    return "refs/heads/branch" + round;
  }

  private byte[] push(Repository client, String branch) throws IOException {
    ObjectId commit = TestRepositories.commit(client, branch, root);
    byte[] pack = PackBytes.of(client, commit, root).bytes();
    return GitRequests.push(ObjectId.zeroId(), commit, branch, pack);
  }

  private static void push(S3Repository repository, byte[] body, String branch) throws IOException {
    assertThat(answer(repository, body)).contains("ok " + branch);
  }

  private static String answer(S3Repository repository, byte[] body) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    S3ReceivePack push = new S3ReceivePack(repository);
    push.setBiDirectionalPipe(false);
    push.setCheckReceivedObjects(true); // with connectivity
    try {
      push.receive(new ByteArrayInputStream(body), out, null);
    } catch (UnpackException told) {
      assertThat(told.getCause()).isInstanceOf(MissingObjectException.class);
    }
    return out.toString(UTF_8);
  }

  @Test
  void a_push_that_lacks_an_object_is_refused() throws Exception {
    byte[] body;
    try (Repository client = manager.createRepository("client")) {
      root = TestRepositories.commit(client, "lacking");
      body = push(client, branch(0));
    }
    try (S3Repository repository = manager.openRepository("few", Purpose.request())) {
      assertThat(answer(repository, body)).contains("unpack error", "ng " + branch(0));
      assertThat(repository.exactRef(branch(0))).isNull();
    }
  }

  @Test
  void a_fetch_allocates_nothing_for_refs_that_it_does_not_want() throws Exception {
    create("many", MANY);
    assertNoMore((repository, round) -> fetch(repository, UploadPack.RequestPolicy.ADVERTISED));
  }

  private void fetch(S3Repository repository, UploadPack.RequestPolicy policy) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (S3UploadPack up = new S3UploadPack(repository)) {
      up.setRequestPolicy(policy);
      up.setExtraParameters(List.of("version=2"));
      up.setBiDirectionalPipe(false);
      up.upload(new ByteArrayInputStream(GitRequests.fetch(root)), out, null);
    }
    assertThat(out.toString(UTF_8)).contains("packfile");
  }

  @Test
  void an_advertisement_allocates_nothing_for_refs() throws Exception {
    create("many", MANY);
    assertNoMore(
        (repository, round) ->
            new S3ReceivePack(repository).sendInfoRefs(OutputStream.nullOutputStream()));
    assertNoMore(
        (repository, round) -> {
          try (S3UploadPack up = new S3UploadPack(repository)) {
            up.sendInfoRefs(OutputStream.nullOutputStream());
          }
        });
  }
}
