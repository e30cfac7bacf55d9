// SPDX-License-Identifier: Apache-2.0
package org.jgits3.transport;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.Repository;
import org.jgits3.Purpose;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.testing.PackBytes;
import org.jgits3.testing.aid.GitRequests;

/** Looks a ref up for a request, looks it up in the store, then pushes a commit. */
final class PassingProgram {
  private static final String BRANCH = "refs/heads/master";

  private PassingProgram() {}

  /**
   * Runs it.
   *
   * @param args directory of the store
   */
  public static void main(String[] args) throws Exception {
    try (S3RepositoryManager manager = TestRepositories.manager(Path.of(args[0]));
        S3Repository repository = manager.createRepository("r");
        Repository client = manager.createRepository("client")) {
      ObjectId first = TestRepositories.commit(client, "first");
      ObjectId second = TestRepositories.commit(client, "second", first);
      ObjectId third = TestRepositories.commit(client, "third", second);
      push(manager, body(client, ObjectId.zeroId(), first));
      repository.getRefDatabase().compact();
      push(manager, body(client, first, second));
      repository.exactRef(BRANCH);
      byte[] body = body(client, second, third);

      try (S3Repository request = manager.openRepository("r", Purpose.request())) {
        EnteredClasses.begin();
        request.exactRef(BRANCH);
        EnteredClasses.end();
      }

      EnteredClasses.begin();
      repository.exactRef(BRANCH);
      EnteredClasses.end();

      EnteredClasses.begin();
      push(manager, body);
      EnteredClasses.end();
    }
  }

  private static byte[] body(Repository client, ObjectId from, ObjectId to) throws IOException {
    ObjectId[] have = from.equals(ObjectId.zeroId()) ? new ObjectId[0] : new ObjectId[] {from};
    return GitRequests.push(from, to, BRANCH, PackBytes.of(client, to, have).bytes());
  }

  private static void push(S3RepositoryManager manager, byte[] body) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (S3Repository repository = manager.openRepository("r", Purpose.push())) {
      S3ReceivePack push = new S3ReceivePack(repository);
      push.setBiDirectionalPipe(false);
      push.receive(new ByteArrayInputStream(body), out, null);
    }
    String answer = out.toString(StandardCharsets.UTF_8);
    if (!answer.contains("ok " + BRANCH)) {
      throw new IllegalStateException(answer);
    }
  }
}
