// SPDX-License-Identifier: Apache-2.0
package org.jgits3.verify;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.zip.CRC32C;
import org.eclipse.jgit.lib.ProgressMonitor;
import org.jgits3.manifest.LiveObject;
import org.jgits3.store.Crc32c;
import org.jgits3.store.ObjectInfo;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.StoreException;

/**
 * Reads every byte of the objects that a manifest lists and compares sizes and checksums, in one
 * buffer of {@value #BUFFER} bytes. Used by one thread.
 */
final class ObjectCheck {
  private static final int BUFFER = 4 << 20;

  private final ObjectStore store;
  private final byte[] buffer = new byte[BUFFER];
  private final List<Verification.Finding> findings = new ArrayList<>();
  private long bytes;

  ObjectCheck(ObjectStore store) {
    this.store = store;
  }

  /**
   * Checks objects.
   *
   * @param objects objects to check
   * @param monitor receives each object; may cancel
   * @throws IOException if the store does not answer or refuses; not for a bad object
   */
  void run(List<LiveObject> objects, ProgressMonitor monitor) throws IOException {
    monitor.beginTask("Checking stored objects", objects.size());
    for (LiveObject object : objects) {
      if (monitor.isCancelled()) {
        throw new IOException("cancelled");
      }
      check(object);
      monitor.update(1);
    }
    monitor.endTask();
  }

  private void check(LiveObject object) throws IOException {
    Optional<ObjectInfo> info = store.stat(object.key());
    if (info.isEmpty()) {
      add(object, "is missing");
      return;
    }
    long actual = info.get().size();
    if (actual != object.size()) {
      add(object, "has " + actual + " bytes instead of " + object.size());
      return;
    }
    try {
      for (LiveObject.Section section : object.sections()) {
        check(object, section);
      }
    } catch (StoreException.Missing e) {
      add(object, "is missing");
    } catch (StoreException.Corrupt e) {
      add(object, "is shorter than the store says");
    } catch (StoreException.BrokenOff e) {
      add(object, "breaks off before its end, however often it is asked for");
    }
  }

  private void check(LiveObject object, LiveObject.Section section) throws IOException {
    CRC32C crc = new CRC32C();
    long at = section.offset();
    long end = at + section.size();
    while (at < end) {
      int n = (int) Math.min(buffer.length, end - at);
      store.read(object.key(), at, buffer, 0, n, Optional.empty());
      crc.update(buffer, 0, n);
      at += n;
      bytes += n;
    }
    if ((int) crc.getValue() != section.crc32c()) {
      String where =
          object.sections().size() == 1
              ? ""
              : String.format(" in bytes %d to %d", section.offset(), end);
      add(object, Crc32c.mismatch((int) crc.getValue(), section.crc32c()) + where);
    }
  }

  private void add(LiveObject object, String problem) {
    findings.add(new Verification.Finding(object.key(), problem));
  }

  List<Verification.Finding> findings() {
    return findings;
  }

  /** Bytes read so far. */
  long bytes() {
    return bytes;
  }
}
