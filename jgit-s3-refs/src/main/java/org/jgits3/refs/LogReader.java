// SPDX-License-Identifier: Apache-2.0
package org.jgits3.refs;

import java.io.IOException;
import java.util.List;
import java.util.function.Predicate;
import org.jgits3.manifest.LogEntry;
import org.jgits3.manifest.LogSegment;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.manifest.RefChange;
import org.jgits3.manifest.StoredObject;
import org.jgits3.manifest.TransactionLog;
import org.jgits3.store.ImmutableObjects;

/** Reads a log of transactions backwards, loading only the segments it gets to. */
final class LogReader {
  private final ImmutableObjects objects;
  private final String repositoryId;
  private final TransactionLog log;

  LogReader(ImmutableObjects objects, String repositoryId, TransactionLog log) {
    this.objects = objects;
    this.repositoryId = repositoryId;
    this.log = log;
  }

  /**
   * Visits entries, newest first, until told to stop.
   *
   * @param each returns false to stop
   * @throws IOException if a segment cannot be read
   */
  void backwards(Predicate<LogEntry> each) throws IOException {
    if (!visit(log.tail(), each)) {
      return;
    }
    List<LogSegment> segments = log.segments();
    for (int i = segments.size() - 1; i >= 0; i--) {
      if (!visit(load(segments.get(i).object()), each)) {
        return;
      }
    }
  }

  private boolean visit(List<LogEntry> entries, Predicate<LogEntry> each) throws IOException {
    for (int i = entries.size() - 1; i >= 0; i--) {
      if (!each.test(whole(entries.get(i)))) {
        return false;
      }
    }
    return true;
  }

  private List<LogEntry> load(StoredObject o) throws IOException {
    String key = ObjectNames.logKey(repositoryId, o.id());
    return LogCodec.decodeSegment(key, objects.read(key, o.size(), o.crc32c()));
  }

  private LogEntry whole(LogEntry e) throws IOException {
    if (e.external().isEmpty()) {
      return e;
    }
    StoredObject o = e.external().get();
    String key = ObjectNames.logKey(repositoryId, o.id());
    List<RefChange> changes = LogCodec.decodeChanges(key, objects.read(key, o.size(), o.crc32c()));
    return new LogEntry(
        e.generation(),
        e.time(),
        e.zone(),
        e.name(),
        e.email(),
        e.message(),
        changes,
        e.external());
  }
}
