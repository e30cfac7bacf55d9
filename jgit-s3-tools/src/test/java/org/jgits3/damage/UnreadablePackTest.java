// SPDX-License-Identifier: Apache-2.0
package org.jgits3.damage;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;
import java.util.zip.CRC32;
import org.eclipse.jgit.internal.storage.dfs.DfsInserter;
import org.eclipse.jgit.internal.storage.dfs.DfsPackParser;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectInserter;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.lib.RepositoryBuilder;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.store.MemoryObjectStore;
import org.jgits3.testing.ForgedPack;
import org.jgits3.testing.GitClient;
import org.jgits3.testing.PackBytes;
import org.jgits3.transfer.Exporter;
import org.jgits3.transfer.ImportSource;
import org.jgits3.transfer.Importer;
import org.jgits3.verify.Verification;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Packs that JGit reads and Git does not. */
class UnreadablePackTest {
  private static final String SHORT = "is a delta that makes 43 of the 600 bytes that it declares";

  private static final byte[] BASE = new byte[1 << 20];
  private static final int FIRST = 12;
  private static final long TOO_MANY = Integer.MAX_VALUE - 7;

  /** Name of an object, which nothing hashes before it is refused. */
  private static final ObjectId LARGE = ObjectId.fromString("1".repeat(40));

  @TempDir Path directory;
  @AutoClose private S3RepositoryManager manager;
  private PackBytes pack;

  @BeforeEach
  void make_pack() throws Exception {
    manager = TestRepositories.manager(new MemoryObjectStore());
    pack = ForgedPack.withShortDelta();
  }

  private static void setMain(Repository repository, ObjectId to) throws IOException {
    TestRepositories.createRef(repository, "refs/heads/main", to);
  }

  /** Makes a repository with the pack, which this library would not take. */
  private S3Repository stored() throws IOException {
    S3Repository repository = manager.createRepository("r");
    try (ObjectInserter inserter = repository.newObjectInserter()) {
      new Unchecked(repository, inserter, pack.bytes()).parse(NullProgressMonitor.INSTANCE);
    }
    setMain(repository, pack.commit());
    return repository;
  }

  /** JGit's own parser. */
  private static final class Unchecked extends DfsPackParser {
    Unchecked(S3Repository repository, ObjectInserter inserter, byte[] pack) {
      super(repository.getObjectDatabase(), (DfsInserter) inserter, new ByteArrayInputStream(pack));
    }
  }

  @Test
  void delta_that_git_refuses_is_not_imported() throws Exception {
    Path source = source(pack.bytes(), pack.commit());
    assertThat(new GitClient(directory.resolve("home"), source).attempt("fsck").ok()).isFalse();
    isNotImported(source, "object ", SHORT + "; see git fsck");
  }

  private Path source(byte[] bytes, ObjectId main) throws Exception {
    Path source = directory.resolve("source.git");
    GitClient.in(directory).run("init", "-q", "--bare", "source.git");
    try (Repository repository = new RepositoryBuilder().setGitDir(source.toFile()).build()) {
      new PackBytes(bytes, main).pushTo(repository);
      setMain(repository, main);
    }
    return source;
  }

  private void isNotImported(Path source, String start, String end) throws IOException {
    try (ImportSource opened = ImportSource.open(source.toString())) {
      assertThatThrownBy(
              () ->
                  new Importer(manager, NullProgressMonitor.INSTANCE)
                      .run(opened, new RepositoryName("r")))
          .isInstanceOf(IOException.class)
          .hasMessageStartingWith(source + ": " + start)
          .hasMessageEndingWith(end);
    }
    assertThat(manager.list()).isEmpty();
  }

  /**
   * Makes a repository with a pack that no parser would index: a commit, and its file that is an
   * object of too many bytes.
   *
   * @param large appends the object
   * @return the repository
   */
  private Path makeSource(Consumer<ForgedPack> large) throws Exception {
    Path source = directory.resolve("source.git");
    GitClient git = GitClient.in(directory);
    git.run("init", "-q", "--bare", "source.git");
    ObjectId id = LARGE;
    git = git.at("source.git");
    String line = "100644 blob " + id.name() + "\tfile\n";
    String tree = git.run(in -> in.write(line.getBytes(US_ASCII)), "mktree", "--missing");
    String commit = git.run("commit-tree", "-m", "large", tree);
    git.run("update-ref", "refs/heads/main", commit);
    ForgedPack forged = new ForgedPack(2).object(Constants.OBJ_BLOB, BASE);
    int at = forged.position();
    large.accept(forged);
    byte[] bytes = forged.closed();
    Path packs = source.resolve("objects/pack");
    Files.write(packs.resolve("pack-1.pack"), bytes);
    Files.write(packs.resolve("pack-1.idx"), index(bytes, at, id));
    return source;
  }

  /** An index of a pack with the base, and an object with an id that is less than that of it. */
  private static byte[] index(byte[] bytes, int at, ObjectId id) throws IOException {
    ObjectId base = ForgedPack.id(Constants.OBJ_BLOB, BASE);
    assertThat(id).isLessThan(base);
    ByteArrayOutputStream index = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(index);
    out.writeInt(0xff744f63);
    out.writeInt(2);
    for (int first = 0; first < 256; first++) {
      out.writeInt((first >= id.getFirstByte() ? 1 : 0) + (first >= base.getFirstByte() ? 1 : 0));
    }
    id.copyRawTo(out);
    base.copyRawTo(out);
    int end = bytes.length - Constants.OBJECT_ID_LENGTH;
    out.writeInt(crc(bytes, at, end));
    out.writeInt(crc(bytes, FIRST, at));
    out.writeInt(at);
    out.writeInt(FIRST);
    out.write(bytes, end, Constants.OBJECT_ID_LENGTH);
    out.write(Constants.newMessageDigest().digest(index.toByteArray()));
    return index.toByteArray();
  }

  private static int crc(byte[] bytes, int from, int to) {
    CRC32 crc = new CRC32();
    crc.update(bytes, from, to - from);
    return (int) crc.getValue();
  }

  @Test
  void object_of_too_many_bytes_is_not_imported() throws Exception {
    isNotImported(
        makeSource(to -> to.header(Constants.OBJ_BLOB, TOO_MANY).deflated(BASE)),
        "object ",
        "has 2147483640 bytes; the most that an object may have here is 2147483639; see git fsck");
  }

  @Test
  void delta_that_makes_too_many_bytes_is_not_imported() throws Exception {
    ByteArrayOutputStream how = new ByteArrayOutputStream();
    for (int left = (int) TOO_MANY; left > 0; left -= BASE.length) {
      how.writeBytes(ForgedPack.copy(0, Math.min(left, BASE.length)));
    }
    byte[] delta = ForgedPack.delta(BASE.length, TOO_MANY, how.toByteArray());
    isNotImported(
        makeSource(to -> to.delta(FIRST, delta)),
        "object " + LARGE.name() + " of 2147483640 bytes is too large: ",
        "an object may have 2147483639 bytes, and one that is stored as a delta has to fit the heap");
  }

  @Test
  void delta_that_git_refuses_is_found_and_other_packs_are_checked() throws Exception {
    byte[] commit = "tree of no kind\n".getBytes(US_ASCII);
    try (S3Repository repository = stored()) {
      ObjectId malformed =
          TestRepositories.insert(repository, to -> to.insert(Constants.OBJ_COMMIT, commit));
      assertThat(new Verification(manager, NullProgressMonitor.INSTANCE).run("r").findings())
          .extracting(Verification.Finding::problem)
          .satisfiesExactlyInAnyOrder(
              problem -> assertThat(problem).endsWith(SHORT),
              problem -> assertThat(problem).startsWith("commit " + malformed.name() + ": "));
    }
  }

  @Test
  void delta_that_git_refuses_is_not_exported() throws Exception {
    try (S3Repository repository = stored()) {
      Path out = directory.resolve("out.git");
      assertThatThrownBy(() -> new Exporter(NullProgressMonitor.INSTANCE).run(repository, out))
          .isInstanceOf(IOException.class)
          .hasMessageEndingWith(SHORT);
      assertThat(out).doesNotExist();
    }
  }
}
