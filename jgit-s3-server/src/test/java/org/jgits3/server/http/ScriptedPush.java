// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Set;
import org.eclipse.jgit.internal.storage.dfs.DfsRepositoryDescription;
import org.eclipse.jgit.internal.storage.dfs.InMemoryRepository;
import org.eclipse.jgit.internal.storage.pack.PackWriter;
import org.eclipse.jgit.lib.CommitBuilder;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.FileMode;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectInserter;
import org.eclipse.jgit.lib.PersonIdent;
import org.eclipse.jgit.lib.TreeFormatter;
import org.eclipse.jgit.transport.PacketLineOut;

/** A push as the bytes a client sends, so that a test decides when each of them arrives. */
final class ScriptedPush {
  private static final Instant WHEN = Instant.ofEpochSecond(1_700_000_000);

  private final byte[] body;
  private final ObjectId commit;

  private ScriptedPush(byte[] body, ObjectId commit) {
    this.body = body;
    this.commit = commit;
  }

  /** Body of the request to {@code git-receive-pack}. */
  byte[] body() {
    return body.clone();
  }

  /** Commit that {@code refs/heads/main} gets. */
  ObjectId commit() {
    return commit;
  }

  static ScriptedPush firstCommit(String file, byte[] content) throws IOException {
    try (InMemoryRepository source =
            new InMemoryRepository(new DfsRepositoryDescription("source"));
        ObjectInserter objects = source.newObjectInserter()) {
      TreeFormatter tree = new TreeFormatter();
      tree.append(file, FileMode.REGULAR_FILE, objects.insert(Constants.OBJ_BLOB, content));
      CommitBuilder commit = new CommitBuilder();
      commit.setTreeId(objects.insert(tree));
      commit.setAuthor(new PersonIdent("A U Thor", "author@example.com", WHEN, ZoneOffset.UTC));
      commit.setCommitter(commit.getAuthor());
      commit.setMessage("first\n");
      ObjectId id = objects.insert(commit);
      objects.flush();
      return new ScriptedPush(body(source, id), id);
    }
  }

  private static byte[] body(InMemoryRepository source, ObjectId commit) throws IOException {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    PacketLineOut lines = new PacketLineOut(body);
    lines.writeString(
        ObjectId.zeroId().name() + " " + commit.name() + " refs/heads/main\0report-status");
    lines.end();
    try (PackWriter pack = new PackWriter(source)) {
      pack.preparePack(NullProgressMonitor.INSTANCE, Set.of(commit), Set.of());
      pack.writePack(NullProgressMonitor.INSTANCE, NullProgressMonitor.INSTANCE, body);
    }
    return body.toByteArray();
  }
}
