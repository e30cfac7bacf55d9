// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.log;

import static java.util.Comparator.comparing;

import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jgits3.internal.function.IoConsumer;
import org.jgits3.internal.function.IoRunnable;
import org.jgits3.internal.refs.table.RefOrder;
import org.jgits3.internal.store.upload.PackUpload;
import org.jgits3.internal.store.upload.PackUploads;
import org.jgits3.manifest.LogEntry;
import org.jgits3.manifest.LogSegment;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.manifest.RefChange;
import org.jgits3.manifest.StoredObject;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.StoreException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The immutable objects of a transaction log. Safe for use by many threads. */
public final class LogObjects {
  private static final Logger LOG = LoggerFactory.getLogger(LogObjects.class);

  /**
   * Bytes of one transaction's changes above which the log keeps them in an object of their own.
   */
  private static final int EXTERNAL = 16 << 10;

  /** Bytes of a change in a manifest, besides the name. */
  private static final int CHANGE = 92;

  /** Changes of a part of a large transaction in a segment; about a block. */
  private static final int PART = 2000;

  /** Bytes read first to find the index of an object that does not say how long it is. */
  private static final int INDEX_GUESS = 32 << 10;

  private final ObjectStore store;
  private final PackUploads uploads;

  public LogObjects(ObjectStore store, PackUploads uploads) {
    this.store = store;
    this.uploads = uploads;
  }

  /**
   * Uploads the changes of a transaction if they are too large for the manifest.
   *
   * @param validated manifest validated within the operation that will list the object
   * @param changes the changes; those sorted by name are written fastest
   * @return the object; empty if the manifest is to hold the changes itself
   * @throws IOException if they cannot be uploaded
   */
  public Optional<StoredObject> writeIfLarge(Manifest validated, List<RefChange> changes)
      throws IOException {
    long bytes = 0;
    for (RefChange c : changes) {
      bytes += CHANGE + c.ref().length();
      if (bytes > EXTERNAL) {
        return Optional.of(upload(validated, out -> write(changes, out)));
      }
    }
    return Optional.empty();
  }

  private StoredObject upload(Manifest validated, IoConsumer<OutputStream> content)
      throws IOException {
    String id = ObjectNames.mint(validated);
    String key = ObjectNames.logKey(validated.repositoryId(), id);
    PackUpload upload = uploads.write(key, content);
    return new StoredObject(id, upload.count(), upload.crc32c());
  }

  /** Writes the object that holds some changes. */
  static void write(List<RefChange> changes, OutputStream out) throws IOException {
    BlockFileWriter writer = new BlockFileWriter(out, BlockFile.CHANGES);
    if (changes instanceof PreparedChanges bulk) {
      bulk.writeTo(writer);
    } else {
      for (RefChange c :
          changes.stream().sorted(comparing(RefChange::ref, RefOrder.INSTANCE)).toList()) {
        writer.change(c);
      }
    }
    writer.finish();
  }

  /**
   * Uploads a segment that consists of existing segments, one after the other, then of entries.
   *
   * @param validated manifest validated within the operation that will list the segment
   * @param segments segments to merge, oldest first
   * @param entries entries to append, oldest first; changes stored in objects of their own are
   *     copied into the segment
   * @return the segment
   * @throws DamagedLogException if an object to be copied is damaged or missing
   * @throws IOException if an object cannot be read, or the segment cannot be uploaded
   */
  LogSegment writeSegment(Manifest validated, List<LogSegment> segments, List<LogEntry> entries)
      throws IOException {
    int[] indexSize = new int[1];
    StoredObject object =
        upload(validated, out -> indexSize[0] = writeSegment(validated, segments, entries, out));
    return describe(object, segments, entries, indexSize[0]);
  }

  /**
   * Deletes an object that this process wrote and that no manifest lists or will ever list. An
   * object that cannot be deleted is left to a sweep.
   *
   * @param manifest manifest that it was written for
   * @param object the object
   */
  public void discard(Manifest manifest, StoredObject object) {
    String key = key(manifest, object);
    try {
      store.delete(List.of(key));
    } catch (IOException e) {
      LOG.debug("log object {} is left to a sweep", key, e);
    }
  }

  private static String key(Manifest manifest, StoredObject object) {
    return ObjectNames.logKey(manifest.owner(object.id()), object.id());
  }

  private int writeSegment(
      Manifest manifest, List<LogSegment> segments, List<LogEntry> entries, OutputStream out)
      throws IOException {
    BlockFileWriter writer = new BlockFileWriter(out, BlockFile.SEGMENT);
    for (LogSegment segment : segments) {
      reading(segment.object(), () -> copy(open(manifest, segment), writer));
    }
    for (LogEntry entry : entries) {
      if (entry.external().isPresent()) {
        reading(entry.external().get(), () -> write(manifest, entry, writer));
      } else {
        write(manifest, entry, writer);
      }
    }
    return writer.finish();
  }

  private static void reading(StoredObject object, IoRunnable reading) throws IOException {
    try {
      reading.run();
    } catch (StoreException.Corrupt | StoreException.Missing e) {
      throw new DamagedLogException(object.id(), e);
    }
  }

  private static void copy(BlockFileReader from, BlockFileWriter to) throws IOException {
    from.forEach(
        BlockCursor::entry, part -> to.entry(part.entry(), part.entry().changes(), part.more()));
  }

  private void write(Manifest manifest, LogEntry entry, BlockFileWriter writer) throws IOException {
    List<RefChange> part = new ArrayList<>();
    forEachChange(
        manifest,
        entry,
        change -> {
          if (part.size() == PART) {
            writer.entry(entry, part, true);
            part.clear();
          }
          part.add(change);
        });
    writer.entry(entry, part, false);
  }

  private static LogSegment describe(
      StoredObject object, List<LogSegment> segments, List<LogEntry> entries, int indexSize) {
    long from = segments.isEmpty() ? entries.get(0).generation() : segments.get(0).from();
    long to =
        entries.isEmpty()
            ? segments.get(segments.size() - 1).to()
            : entries.get(entries.size() - 1).generation();
    long count = entries.size() + segments.stream().mapToLong(LogSegment::entries).sum();
    return new LogSegment(object, from, to, count, indexSize);
  }

  /** A reader of a segment. */
  public BlockFileReader open(Manifest manifest, LogSegment segment) throws IOException {
    String key = key(manifest, segment.object());
    return new BlockFileReader(
        store, key, BlockFile.SEGMENT, segment.object(), segment.indexSize());
  }

  /** A reader of the changes of a large transaction. */
  public BlockFileReader open(Manifest manifest, StoredObject changes) throws IOException {
    String key = key(manifest, changes);
    return new BlockFileReader(store, key, BlockFile.CHANGES, changes, INDEX_GUESS);
  }

  /**
   * Visits all changes of a transaction of the tail; holds about a megabyte of those of a large
   * one.
   *
   * @param manifest manifest that lists the transaction
   * @param entry the transaction
   * @param each receives the changes, in their own order if the manifest holds them, else sorted by
   *     name
   * @throws IOException if they cannot be read, or {@code each} fails
   */
  public void forEachChange(Manifest manifest, LogEntry entry, IoConsumer<RefChange> each)
      throws IOException {
    if (entry.external().isPresent()) {
      open(manifest, entry.external().get()).forEach(BlockCursor::change, each);
    } else {
      for (RefChange change : entry.changes()) {
        each.accept(change);
      }
    }
  }
}
