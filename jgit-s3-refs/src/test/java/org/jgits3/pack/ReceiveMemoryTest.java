// SPDX-License-Identifier: Apache-2.0
package org.jgits3.pack;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.zip.DeflaterOutputStream;
import org.eclipse.jgit.errors.TooLargeObjectInPackException;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.eclipse.jgit.lib.ObjectInserter;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.S3Settings;
import org.jgits3.store.DirectoryObjectStore;
import org.jgits3.testing.PackBytes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Pushes whose packs declare more than the heap has room for. */
class ReceiveMemoryTest {
  private static final long GIB = 1 << 30;
  private static final int COPY_NOTHING = 0;

  @TempDir Path directory;
  private S3RepositoryManager manager;

  private void open(String limit) throws Exception {
    Config config = new Config();
    config.setString("s3", "receive", "memoryLimit", limit);
    manager =
        new S3RepositoryManager(
            new DirectoryObjectStore(directory), S3Settings.from(config, "test"));
    manager.createRepository("r").close();
  }

  @AfterEach
  void nothing_stays_taken() throws IOException {
    assertThat(manager.receiveMemory().taken()).isZero();
    manager.close();
  }

  private static void receive(S3Repository repository, byte[] pack) throws IOException {
    try (ObjectInserter inserter = repository.newObjectInserter()) {
      inserter
          .newPackParser(new ByteArrayInputStream(pack))
          .parse(NullProgressMonitor.INSTANCE, NullProgressMonitor.INSTANCE);
    }
  }

  private void push(byte[] pack) throws IOException {
    try (S3Repository repository = manager.openForPush("r")) {
      receive(repository, pack);
    }
  }

  /** The beginning of a pack. */
  private static ByteArrayOutputStream pack(int objects) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    out.write("PACK".getBytes(US_ASCII));
    out.writeInt(2);
    out.writeInt(objects);
    return bytes;
  }

  /** Header of an object or delta, with its type and its length after inflation. */
  private static void header(ByteArrayOutputStream pack, int type, long length) {
    long rest = length >>> 4;
    pack.write((int) ((type << 4) | (length & 15) | (rest > 0 ? 0x80 : 0)));
    varint(pack, rest);
  }

  private static void varint(ByteArrayOutputStream out, long value) {
    for (long rest = value; rest > 0; rest >>>= 7) {
      out.write((int) ((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0)));
    }
  }

  private static void deflate(ByteArrayOutputStream pack, byte[] content) throws IOException {
    try (DeflaterOutputStream out = new DeflaterOutputStream(pack)) {
      out.write(content);
    }
  }

  private static byte[] closed(ByteArrayOutputStream pack) throws Exception {
    pack.write(MessageDigest.getInstance("SHA-1").digest(pack.toByteArray()));
    return pack.toByteArray();
  }

  @Test
  void a_pack_that_declares_more_objects_than_memory_has_room_for_is_refused_at_its_header()
      throws Exception {
    open("1m");
    assertThatThrownBy(() -> push(pack(10_000).toByteArray()))
        .isInstanceOf(IOException.class)
        .hasMessage(
            "a pack of 10000 objects takes some 2 MiB of memory, and [s3 \"receive\"] memoryLimit"
                + " of the server is 1 MiB");
    assertThatThrownBy(() -> push(pack(-1).toByteArray()))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith("a pack of 4294967295 objects takes some 819200 MiB");
  }

  @Test
  void a_tree_that_declares_more_bytes_than_memory_has_room_for_is_refused_at_its_header()
      throws Exception {
    open("64m");
    ByteArrayOutputStream pack = pack(1);
    header(pack, Constants.OBJ_TREE, GIB);
    deflate(pack, new byte[1_000]);
    byte[] bytes = closed(pack);
    assertThatThrownBy(() -> push(bytes))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith("a pack with an object of 1024 MiB takes some 3072 MiB of memory");
  }

  @Test
  void a_delta_that_declares_a_larger_result_than_memory_has_room_for_is_refused_before_it_is_made()
      throws Exception {
    open("64m");
    ByteArrayOutputStream pack = pack(2);
    byte[] base = new byte[] {'b'};
    int at = pack.size();
    header(pack, Constants.OBJ_BLOB, base.length);
    deflate(pack, base);
    ByteArrayOutputStream delta = new ByteArrayOutputStream();
    varint(delta, base.length);
    varint(delta, GIB);
    delta.write(COPY_NOTHING);
    int distance = pack.size() - at;
    header(pack, Constants.OBJ_OFS_DELTA, delta.size());
    pack.write(distance);
    deflate(pack, delta.toByteArray());
    byte[] bytes = closed(pack);
    assertThatThrownBy(() -> push(bytes)).isInstanceOf(TooLargeObjectInPackException.class);
  }

  @Test
  void a_push_that_finds_no_memory_beside_others_is_refused_at_once_and_succeeds_when_repeated()
      throws Exception {
    long objects = 3;
    open(String.valueOf(objects * ReceiveMemory.OBJECT_BYTES));
    byte[] second = PackBytes.ofSize(1_000, 2).bytes();
    try (S3Repository first = manager.openForPush("r")) {
      receive(first, PackBytes.ofSize(1_000, 1).bytes());
      assertThatThrownBy(() -> push(second))
          .isInstanceOf(IOException.class)
          .hasMessageStartingWith("the server is busy: a pack of 3 objects takes some 1 MiB");
    }
    push(second);
  }

  @Test
  void a_blob_that_is_no_base_may_be_larger_than_the_limit() throws Exception {
    open("1m");
    push(PackBytes.ofSize(8 << 20, 3).bytes());
  }
}
