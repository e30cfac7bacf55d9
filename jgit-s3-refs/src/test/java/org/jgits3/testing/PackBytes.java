// SPDX-License-Identifier: Apache-2.0
package org.jgits3.testing;

import static org.jgits3.TestRepositories.tree;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Set;
import org.eclipse.jgit.internal.storage.pack.PackWriter;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.FileMode;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectInserter;
import org.eclipse.jgit.lib.PersonIdent;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.lib.TreeFormatter;
import org.eclipse.jgit.transport.PackParser;
import org.jgits3.TestRepositories;
import org.jgits3.testing.aid.RandomBytes;

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
    receive(repository, new ByteArrayInputStream(bytes), lockMessage);
    return commit;
  }

  /** Receives a pack as a push does. */
  public static void push(Repository repository, InputStream pack) throws IOException {
    receive(repository, pack, "jgit receive-pack");
  }

  private static void receive(Repository repository, InputStream pack, String lockMessage)
      throws IOException {
    try (ObjectInserter inserter = repository.newObjectInserter()) {
      PackParser parser = inserter.newPackParser(pack);
      parser.setAllowThin(true);
      parser.setLockMessage(lockMessage);
      parser.parse(NullProgressMonitor.INSTANCE, NullProgressMonitor.INSTANCE);
    }
  }

  /** A pack of objects of a repository, as a server or a client sends it. */
  public static PackBytes of(Repository from, ObjectId want, ObjectId... have) throws IOException {
    return new PackBytes(of(from, Set.of(want), Set.of(have)), want);
  }

  /** A pack of all that some objects lead to, but others do not. */
  public static byte[] of(Repository from, Set<ObjectId> want, Set<ObjectId> have)
      throws IOException {
    ByteArrayOutputStream pack = new ByteArrayOutputStream();
    try (PackWriter writer = new PackWriter(from)) {
      writer.setThin(true);
      writer.preparePack(NullProgressMonitor.INSTANCE, want, have);
      writer.writePack(NullProgressMonitor.INSTANCE, NullProgressMonitor.INSTANCE, pack);
    }
    return pack.toByteArray();
  }

  /** A pack of about some size: a file of bytes that cannot be compressed, made from a seed. */
  public static PackBytes ofSize(int size, long seed) throws IOException {
    byte[] content = RandomBytes.of(size, seed);
    return ofFile("file", content);
  }

  /** A pack of one file. */
  public static PackBytes ofFile(String name, byte[] content) throws IOException {
    ObjectId file = ForgedPack.id(Constants.OBJ_BLOB, content);
    return of(
        "of " + content.length + " bytes\n",
        tree(name, FileMode.REGULAR_FILE, file),
        List.of(content));
  }

  /** A pack of one commit of nothing, whose parent the one who receives it must have. */
  public static PackBytes childOf(ObjectId parent) throws IOException {
    return of("child\n", new TreeFormatter(), List.of(), parent);
  }

  /**
   * A pack of one commit of a file that the one who receives it must have, in a new place.
   *
   * @param parent parent of the commit
   * @param file content of the file
   */
  public static PackBytes moved(ObjectId parent, ObjectId file) throws IOException {
    return of("moved\n", tree("moved", FileMode.REGULAR_FILE, file), List.of(), parent);
  }

  private static PackBytes of(
      String message, TreeFormatter tree, List<byte[]> blobs, ObjectId... parents)
      throws IOException {
    byte[] root = tree.toByteArray();
    byte[] commit =
        TestRepositories.commitOf(ForgedPack.id(Constants.OBJ_TREE, root), message, parents)
            .build();
    ForgedPack pack = new ForgedPack(2 + blobs.size());
    pack.stored(Constants.OBJ_COMMIT, commit).stored(Constants.OBJ_TREE, root);
    blobs.forEach(blob -> pack.stored(Constants.OBJ_BLOB, blob));
    return new PackBytes(pack.closed(), ForgedPack.id(Constants.OBJ_COMMIT, commit));
  }

  /** The same with another trailer, which does not fit. */
  public PackBytes corrupt() {
    byte[] changed = bytes.clone();
    changed[changed.length - 1] ^= 1;
    return new PackBytes(changed, commit);
  }
}
