// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.internal.function.IoRunnable;
import org.jgits3.internal.store.file.DirectoryObjectStore;
import org.jgits3.store.DelegatingObjectStore;
import org.jgits3.store.MultipartUpload;
import org.jgits3.store.PartBody;
import org.jgits3.store.StoreException;
import org.jgits3.store.UploadedPart;
import org.jgits3.testing.PackBytes;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * However receiving a large pack ends, its local file is gone when it has ended: the process has it
 * open no more, and it has no name. Each test makes sure that the file was there before.
 */
@EnabledOnOs(OS.LINUX) // where a process can list what it has open
class SpillLeakTest {
  private static final int LARGE = 18 << 20;
  private static PackBytes large;

  @TempDir Path directory;
  @TempDir Path spills;
  private final AtomicInteger failingParts = new AtomicInteger();
  private DirectoryObjectStore plain;
  @AutoClose private S3RepositoryManager manager;
  @AutoClose private S3Repository repository;

  /** Most files that were open at once. */
  private int seen;

  @BeforeEach
  void open() throws Exception {
    plain = new DirectoryObjectStore(directory);
    manager =
        TestRepositories.manager(
            new DelegatingObjectStore(plain) {
              @Override
              public UploadedPart uploadPart(MultipartUpload upload, int number, PartBody body)
                  throws IOException {
                if (failingParts.getAndDecrement() > 0) {
                  throw new StoreException.Unavailable(upload.key(), "no answer", null);
                }
                return super.uploadPart(upload, number, body);
              }
            },
            "[s3 \"receive\"]\nspillDirectory = " + spills);
    repository = manager.createRepository("r");
  }

  private List<String> inUse() throws IOException {
    List<String> files = new ArrayList<>();
    try (var open = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
      for (Path descriptor : open) {
        files.add(file(descriptor));
      }
    }
    files.removeIf(file -> !file.startsWith(spills + "/"));
    return files;
  }

  private static String file(Path descriptor) throws IOException {
    try {
      return Files.readSymbolicLink(descriptor).toString();
    } catch (NoSuchFileException closed) {
      return ""; // meanwhile, by another thread
    }
  }

  /** Input of a client: a pack, with an action after some bytes. */
  private final class Arriving extends InputStream {
    private final InputStream pack;
    private final int until;
    private final IoRunnable event;
    private int read;

    Arriving(byte[] pack, int until, IoRunnable event) {
      this.pack = new ByteArrayInputStream(pack);
      this.until = until;
      this.event = event;
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] dst, int offset, int length) throws IOException {
      if (read < until && read + length >= until) {
        seen = inUse().size();
        event.run();
      }
      int n = pack.read(dst, offset, length);
      read += Math.max(0, n);
      return n;
    }
  }

  @BeforeAll
  static void make_pack() throws IOException {
    large = PackBytes.ofSize(LARGE, 5);
  }

  /** The pack, with an action when most of it has arrived. */
  private Arriving arriving(byte[] pack, IoRunnable event) {
    return new Arriving(pack, pack.length - (1 << 20), event);
  }

  private void nothingIsLeft() throws IOException {
    assertThat(seen).as("files in use amid the pack").isEqualTo(1);
    assertThat(inUse()).isEmpty();
    assertThat(spills).isEmptyDirectory();
  }

  private void nothingWasStored() throws IOException {
    nothingIsLeft();
    plain.list("objects/", object -> assertThat(object.key()).doesNotContain("/pack/"));
    assertThat(plain.listMultipart("")).isEmpty();
    assertThat(repository.manifest().packs()).isEmpty();
  }

  private void fails(byte[] pack, IoRunnable event) throws IOException {
    assertThatThrownBy(() -> PackBytes.push(repository, arriving(pack, event)))
        .isInstanceOf(IOException.class);
    nothingWasStored();
  }

  @Test
  void a_pack_that_is_whole() throws Exception {
    PackBytes.push(repository, arriving(large.bytes(), () -> {}));
    nothingIsLeft();
    assertThat(repository.manifest().packs()).hasSize(1);
  }

  @Test
  void a_pack_with_a_wrong_checksum() throws Exception {
    fails(large.corrupt().bytes(), () -> {});
  }

  @Test
  void a_client_that_disconnects() throws Exception {
    fails(
        large.bytes(),
        () -> {
          throw new IOException("connection reset");
        });
  }

  @Test
  void a_store_that_takes_no_more_parts() throws Exception {
    fails(large.bytes(), () -> failingParts.set(Integer.MAX_VALUE));
  }

  @Test
  void a_parser_that_fails_in_an_unexpected_way() throws Exception {
    IoRunnable event =
        () -> {
          throw new IllegalStateException("unexpected");
        };
    assertThatThrownBy(() -> PackBytes.push(repository, arriving(large.bytes(), event)))
        .isInstanceOf(IllegalStateException.class);
    nothingWasStored();
  }

  @Test
  void a_thread_that_is_interrupted() throws Exception {
    try {
      fails(large.bytes(), Thread.currentThread()::interrupt);
    } finally {
      assertThat(Thread.interrupted()).isTrue();
    }
  }

  @Test
  void a_server_that_stops() throws Exception {
    fails(large.bytes(), manager::close);
  }

  @Test
  void a_push_that_is_rolled_back_after_its_pack_was_received() throws Exception {
    repository.getObjectDatabase().deferReceivedPacks();
    PackBytes.push(repository, arriving(large.bytes(), () -> {}));
    nothingIsLeft();
    repository.close();
    plain.list("objects/", object -> assertThat(object.key()).doesNotContain("/pack/"));
    assertThat(plain.listMultipart("")).isEmpty();
  }
}
