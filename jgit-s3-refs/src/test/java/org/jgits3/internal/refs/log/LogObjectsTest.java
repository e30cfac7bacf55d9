// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.transport.ReceiveCommand;
import org.jgits3.internal.refs.snapshot.RefView;
import org.jgits3.internal.refs.table.RefOrder;
import org.jgits3.internal.refs.table.RefTable;
import org.jgits3.internal.refs.transaction.BulkChanges;
import org.jgits3.internal.refs.transaction.BulkUpdate;
import org.jgits3.internal.store.file.DirectoryObjectStore;
import org.jgits3.internal.store.metrics.ObservedObjectStore;
import org.jgits3.internal.store.metrics.RequestCounts;
import org.jgits3.internal.store.upload.PackUploads;
import org.jgits3.manifest.LogEntry;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.manifest.RefChange;
import org.jgits3.manifest.Refs;
import org.jgits3.manifest.RepositorySettings;
import org.jgits3.manifest.RepositoryState;
import org.jgits3.manifest.StoredObject;
import org.jgits3.store.Crc32c;
import org.jgits3.store.StoreException;
import org.jgits3.store.UploadOptions;
import org.jgits3.testing.Holds;
import org.jgits3.testing.Seeds;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The objects that hold the changes of large transactions. */
@Holds(
    "BlockFileReader: Whatever the bytes of a stored object, at rest or in transit, each answer "
        + "is right or an error with the key. They are not overwritten, and putting the right ones "
        + "back repairs it.")
class LogObjectsTest {
  private static final String REPOSITORY = "0".repeat(32);

  private static final Manifest LISTING =
      Manifest.first(
          REPOSITORY, new RepositoryState.Importing(0), 0, RepositorySettings.NONE, Refs.NONE);
  private static final String ID = "0".repeat(12) + "-" + "0".repeat(20);

  @TempDir Path directory;
  private final RequestCounts counts = new RequestCounts();
  @AutoClose private ObservedObjectStore store;
  private LogObjects objects;

  @BeforeEach
  void open() throws IOException {
    store = new ObservedObjectStore(new DirectoryObjectStore(directory), counts);
    objects = new LogObjects(store, new PackUploads(store, UploadOptions.DEFAULT));
  }

  private static ObjectId random(Random random) {
    byte[] raw = new byte[20];
    random.nextBytes(raw);
    return ObjectId.fromRaw(raw);
  }

  /** Refs that a Gerrit makes: for each change its patch sets and its meta ref, sorted by name. */
  private static List<RefChange> gerrit(int count) {
    Random random = new Random(7);
    List<RefChange> changes = new ArrayList<>(count);
    for (int change = 1; changes.size() < count; change++) {
      String prefix = String.format("refs/changes/%02d/%d/", change % 100, change);
      for (String suffix : List.of("1", "2", "3", "meta")) {
        changes.add(new RefChange(prefix + suffix, ObjectId.zeroId(), random(random)));
      }
    }
    changes.sort(Comparator.comparing(RefChange::ref, RefOrder.INSTANCE));
    return changes.subList(0, count);
  }

  private static byte[] encode(List<RefChange> changes) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    LogObjects.write(changes, out);
    return out.toByteArray();
  }

  private LogEntry stored(byte[] bytes, int crc32c) throws IOException {
    String key = ObjectNames.logKey(REPOSITORY, ID);
    store.put(key, bytes, 0, bytes.length);
    StoredObject object = new StoredObject(ID, bytes.length, crc32c);
    return new LogEntry(1, 2, 3, "n", "e", "m", List.of(), Optional.of(object));
  }

  private List<RefChange> read(LogEntry entry) throws IOException {
    List<RefChange> read = new ArrayList<>();
    objects.forEachChange(LISTING, entry, read::add);
    return read;
  }

  @Seeds(4)
  void any_changes_come_back_sorted_by_name(long seed) throws IOException {
    Random random = new Random(seed);
    List<ObjectId> ids = new ArrayList<>();
    for (int i = 0; i < 3000; i++) {
      ids.add(i % 10 == 0 ? ObjectId.zeroId() : random(random));
    }
    List<RefChange> changes = new ArrayList<>();
    for (int i = 0; i < 20_000; i++) {
      String name =
          "refs/" + "é/".repeat(random.nextInt(3)) + Integer.toHexString(random.nextInt());
      ObjectId from = ids.get(random.nextInt(ids.size()));
      ObjectId to = ids.get(random.nextInt(ids.size()));
      RefChange c = new RefChange(name, from, to);
      if (random.nextInt(10) == 0) {
        c = c.linked(Optional.of("refs/" + i), Optional.empty());
      } else if (random.nextInt(10) == 0) {
        c = c.linked(Optional.empty(), Optional.of("refs/" + i)).renamed("refs/r" + i);
      }
      changes.add(c);
    }
    byte[] bytes = encode(changes);

    List<RefChange> sorted = new ArrayList<>(changes);
    sorted.sort(Comparator.comparing(RefChange::ref, RefOrder.INSTANCE));
    assertThat(read(stored(bytes, Crc32c.of(bytes)))).as("seed " + seed).isEqualTo(sorted);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "\uFFFD", "\uD83D\uDE00"})
  void a_batch_is_written_as_its_changes_are(String suffix) throws IOException {
    Random random = new Random(5);
    List<ReceiveCommand> commands = new ArrayList<>();
    for (int i = 0; i < 5000; i++) {
      String name = "refs/é" + random.nextInt(100) + '/' + (i % 7 == 0 ? suffix : "\uFFFE") + i;
      commands.add(new ReceiveCommand(ObjectId.zeroId(), random(random), name));
    }
    BulkChanges batch =
        new BulkUpdate(new RefView(Refs.NONE, RefTable.EMPTY))
            .check(commands, id -> Optional.empty())
            .map(BulkChanges::new)
            .orElseThrow();

    byte[] bytes = encode(batch);

    assertThat(bytes).isEqualTo(encode(new ArrayList<>(batch)));
    assertThat(batch).isSortedAccordingTo(Comparator.comparing(RefChange::ref, RefOrder.INSTANCE));
    assertThat(read(stored(bytes, Crc32c.of(bytes)))).isEqualTo(batch);
  }

  @Test
  void a_created_Gerrit_ref_takes_26_bytes_and_a_name_of_one_object_7() throws IOException {
    assertThat(encode(gerrit(100_000)).length / 100_000).isLessThanOrEqualTo(26);
    ObjectId id = random(new Random(3));
    List<RefChange> changes = new ArrayList<>();
    for (int i = 10_000; i < 20_000; i++) {
      changes.add(new RefChange("refs/tags/" + i, ObjectId.zeroId(), id));
    }
    assertThat(encode(changes).length / 10_000).isLessThanOrEqualTo(7);
  }

  @Test
  void changes_are_read_a_megabyte_at_a_time() throws IOException {
    List<RefChange> changes = gerrit(200_000);
    byte[] bytes = encode(changes);
    LogEntry entry = stored(bytes, Crc32c.of(bytes));
    RequestCounts.Snapshot before = counts.snapshot();

    assertThat(read(entry)).isEqualTo(changes);
    assertThat(counts.snapshot().since(before).total())
        .isLessThanOrEqualTo(2 + bytes.length / 900_000);
  }

  @Test
  void wherever_a_byte_is_flipped_an_error_names_the_key() throws IOException {
    for (int count : new int[] {10, 15_000}) {
      byte[] good = encode(gerrit(count));
      int crc = Crc32c.of(good);
      Random random = new Random(count);
      for (int i = 0; i < 50; i++) {
        byte[] bad = good.clone();
        bad[8 + random.nextInt(bad.length - 8)] ^= (byte) (1 << random.nextInt(8));
        LogEntry entry = stored(bad, crc);
        assertThatThrownBy(() -> read(entry))
            .isInstanceOf(StoreException.Corrupt.class)
            .hasMessageContaining(ObjectNames.logKey(REPOSITORY, ID));
      }
    }
  }

  @Test
  void an_object_of_another_kind_is_refused() throws IOException {
    byte[] bytes = encode(gerrit(10));
    bytes[7]++;
    LogEntry entry = stored(bytes, Crc32c.of(bytes));
    assertThatThrownBy(() -> read(entry)).hasMessageContaining("format");
  }
}
