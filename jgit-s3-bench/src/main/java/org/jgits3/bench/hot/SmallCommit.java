// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.hot;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.random.RandomGenerator;
import java.util.zip.DeflaterOutputStream;
import org.eclipse.jgit.lib.CommitBuilder;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.FileMode;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectInserter;
import org.eclipse.jgit.lib.PersonIdent;
import org.eclipse.jgit.lib.TreeFormatter;

/**
 * A commit of one small file, with the pack that a client sends of it.
 *
 * @param id id of the commit
 * @param pack pack of the commit, its tree and its file
 */
@SuppressWarnings("ArrayRecordComponent") // handed over, never compared
record SmallCommit(ObjectId id, byte[] pack) {
  private static final PersonIdent WHO =
      new PersonIdent("A U Thor", "author@example.com", Instant.EPOCH, ZoneOffset.UTC);
  private static final int FILE_BYTES = 200;
  private static final int MORE = 0x80;

  /**
   * Makes a commit that no other has made.
   *
   * @param parent commit before; {@link ObjectId#zeroId} if there is none
   * @param random chooses the content
   */
  static SmallCommit on(ObjectId parent, RandomGenerator random) throws IOException {
    try (ObjectInserter.Formatter ids = new ObjectInserter.Formatter()) {
      byte[] blob = new byte[FILE_BYTES];
      random.nextBytes(blob);
      TreeFormatter tree = new TreeFormatter();
      tree.append("file", FileMode.REGULAR_FILE, ids.idFor(Constants.OBJ_BLOB, blob));
      CommitBuilder commit = new CommitBuilder();
      commit.setTreeId(ids.idFor(tree));
      if (!parent.equals(ObjectId.zeroId())) {
        commit.setParentId(parent);
      }
      commit.setAuthor(WHO);
      commit.setCommitter(WHO);
      commit.setMessage("A small change");
      ByteArrayOutputStream pack = new ByteArrayOutputStream();
      pack.write(new byte[] {'P', 'A', 'C', 'K', 0, 0, 0, 2, 0, 0, 0, 3});
      write(pack, Constants.OBJ_COMMIT, commit.build());
      write(pack, Constants.OBJ_TREE, tree.toByteArray());
      write(pack, Constants.OBJ_BLOB, blob);
      pack.write(Constants.newMessageDigest().digest(pack.toByteArray()));
      return new SmallCommit(ids.idFor(Constants.OBJ_COMMIT, commit.build()), pack.toByteArray());
    }
  }

  /** Writes an object as a pack has it: its type and size, then its content. */
  private static void write(ByteArrayOutputStream pack, int type, byte[] content)
      throws IOException {
    int rest = content.length >>> 4;
    pack.write((type << 4) | (content.length & 0xf) | (rest > 0 ? MORE : 0));
    for (; rest > 0; rest >>>= 7) {
      pack.write((rest & 0x7f) | (rest >= MORE ? MORE : 0));
    }
    try (DeflaterOutputStream deflated = new DeflaterOutputStream(pack)) {
      deflated.write(content);
    }
  }
}
