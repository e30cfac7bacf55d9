// SPDX-License-Identifier: Apache-2.0
package org.jgits3.testing;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.SplittableRandom;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import org.eclipse.jgit.lib.CommitBuilder;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.FileMode;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectInserter;
import org.eclipse.jgit.lib.PersonIdent;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.lib.TreeFormatter;
import org.eclipse.jgit.transport.PackParser;

/**
 * A pack as a client sends it: one commit.
 *
 * @param bytes the pack
 * @param commit id of the commit
 */
@SuppressWarnings("ArrayRecordComponent") // handed over, never compared
public record PackBytes(byte[] bytes, ObjectId commit) {
  /**
   * Receives the pack as a push does.
   *
   * @return the commit
   */
  public ObjectId pushTo(Repository repository) throws IOException {
    return receive(repository, "jgit receive-pack from " + new PersonIdent(repository));
  }

  /**
   * Receives the pack as a fetch does.
   *
   * @return the commit
   */
  public ObjectId fetchTo(Repository repository) throws IOException {
    return receive(repository, "jgit fetch");
  }

  private ObjectId receive(Repository repository, String lockMessage) throws IOException {
    try (ObjectInserter inserter = repository.newObjectInserter()) {
      PackParser parser = inserter.newPackParser(new ByteArrayInputStream(bytes));
      parser.setAllowThin(true);
      parser.setLockMessage(lockMessage);
      parser.parse(NullProgressMonitor.INSTANCE, NullProgressMonitor.INSTANCE);
    }
    return commit;
  }

  /** A pack of about some size: a file of bytes that cannot be compressed, made from a seed. */
  public static PackBytes ofSize(int size, long seed) throws IOException {
    byte[] content = new byte[size];
    new SplittableRandom(seed).nextBytes(content);
    TreeFormatter tree = new TreeFormatter();
    tree.append("file", FileMode.REGULAR_FILE, id(Constants.OBJ_BLOB, content));
    CommitBuilder commit = new CommitBuilder();
    commit.setMessage("of " + size + " bytes\n");
    return of(commit, tree, content);
  }

  /** A pack of one commit of nothing, whose parent the one who receives it must have. */
  public static PackBytes childOf(ObjectId parent) throws IOException {
    CommitBuilder commit = new CommitBuilder();
    commit.setParentId(parent);
    commit.setMessage("child\n");
    return of(commit, new TreeFormatter());
  }

  /**
   * A pack of one commit of a file that the one who receives it must have, in a new place.
   *
   * @param parent parent of the commit
   * @param file content of the file
   */
  public static PackBytes moved(ObjectId parent, ObjectId file) throws IOException {
    TreeFormatter tree = new TreeFormatter();
    tree.append("moved", FileMode.REGULAR_FILE, file);
    CommitBuilder commit = new CommitBuilder();
    commit.setParentId(parent);
    commit.setMessage("moved\n");
    return of(commit, tree);
  }

  private static PackBytes of(CommitBuilder commit, TreeFormatter tree, byte[]... blobs)
      throws IOException {
    commit.setTreeId(id(Constants.OBJ_TREE, tree.toByteArray()));
    commit.setAuthor(
        new PersonIdent("A U Thor", "author@example.com", Instant.EPOCH, ZoneOffset.UTC));
    commit.setCommitter(commit.getAuthor());
    byte[] built = commit.build();
    ByteArrayOutputStream pack = new ByteArrayOutputStream();
    pack.writeBytes(new byte[] {'P', 'A', 'C', 'K', 0, 0, 0, 2, 0, 0, 0});
    pack.write(2 + blobs.length);
    append(pack, Constants.OBJ_COMMIT, built);
    append(pack, Constants.OBJ_TREE, tree.toByteArray());
    for (byte[] blob : blobs) {
      append(pack, Constants.OBJ_BLOB, blob);
    }
    pack.writeBytes(Constants.newMessageDigest().digest(pack.toByteArray()));
    return new PackBytes(pack.toByteArray(), id(Constants.OBJ_COMMIT, built));
  }

  private static ObjectId id(int type, byte[] content) {
    try (ObjectInserter.Formatter formatter = new ObjectInserter.Formatter()) {
      return formatter.idFor(type, content);
    }
  }

  /** Appends an object, which is stored without any effort to compress it. */
  private static void append(ByteArrayOutputStream pack, int type, byte[] content)
      throws IOException {
    int header = (type << 4) | (content.length & 15);
    for (int left = content.length >>> 4; left > 0; left >>>= 7) {
      pack.write(header | 128);
      header = left & 127;
    }
    pack.write(header);
    Deflater deflater = new Deflater(Deflater.NO_COMPRESSION);
    try (DeflaterOutputStream out = new DeflaterOutputStream(pack, deflater, 1 << 16)) {
      out.write(content);
    } finally {
      deflater.end();
    }
  }

  /** The same with another trailer, which does not fit. */
  public PackBytes corrupt() {
    byte[] changed = bytes.clone();
    changed[changed.length - 1] ^= 1;
    return new PackBytes(changed, commit);
  }
}
