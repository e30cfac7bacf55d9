// SPDX-License-Identifier: Apache-2.0
package org.jgits3.transfer;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.eclipse.jgit.lib.ProgressMonitor;
import org.jgits3.Purpose;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.history.RefRestoration;
import org.jgits3.internal.pack.RestoredPack;
import org.jgits3.internal.refs.snapshot.SnapshotTables;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.manifest.PackEntry;
import org.jgits3.manifest.RefChange;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.store.StoreException;

/**
 * Restores refs and objects from a copy of an older manifest, while the repository is in use. Packs
 * that are not listed any more are copied to new names, and listed by the same write that moves the
 * refs. That write is a transaction like any other: the generation grows, the log continues, and a
 * sweep that already decided to delete the old names does no harm. Configuration and description do
 * not change.
 *
 * <p>Used by one thread.
 */
public final class Restorer {
  private final S3RepositoryManager manager;
  private final ProgressMonitor monitor;

  /**
   * Creates a restorer.
   *
   * @param manager store with the repository
   * @param monitor receives progress; may cancel
   */
  public Restorer(S3RepositoryManager manager, ProgressMonitor monitor) {
    this.manager = manager;
    this.monitor = monitor;
  }

  /**
   * Extent of a restoration, planned or done.
   *
   * @param generation generation of the copy
   * @param packs packs that are copied
   * @param bytes bytes of packs and indexes that are copied
   * @param changes changes of the refs, as {@link RefRestoration#changes}
   */
  public record Report(long generation, int packs, long bytes, List<RefChange> changes) {
    public Report {
      changes = List.copyOf(changes);
    }
  }

  /**
   * Plans a restoration. Changes nothing.
   *
   * @param name repository to restore
   * @param copy an older manifest of it, or of one that was deleted
   * @return its extent
   * @throws IOException if the repository cannot be read, or objects that the copy lists are gone
   */
  public Report plan(RepositoryName name, Manifest copy) throws IOException {
    try (S3Repository repository = manager.openRepository(name.value(), Purpose.request())) {
      RefRestoration refs = refs(repository, copy);
      List<PackEntry> packs = unlisted(repository, copy);
      return new Report(copy.generation(), packs.size(), stored(copy, packs), refs.changes());
    }
  }

  /**
   * Restores refs and objects.
   *
   * @param name repository to restore
   * @param copy an older manifest of it, or of one that was deleted
   * @return the extent of the restoration
   * @throws org.jgits3.manifest.UnknownOutcomeException if the store did not tell in time whether
   *     the refs were restored
   * @throws IOException if the restoration failed; nothing was changed
   */
  public Report run(RepositoryName name, Manifest copy) throws IOException {
    try (S3Repository repository = manager.openRepository(name.value(), Purpose.request())) {
      repository.getObjectDatabase().deferReceivedPacks();
      RefRestoration refs = refs(repository, copy);
      List<PackEntry> packs = unlisted(repository, copy);
      stored(copy, packs); // all that is gone is named before hours of copying
      long bytes = 0;
      RestoredPack restored = new RestoredPack(repository.getObjectDatabase(), manager.store());
      monitor.beginTask("Copying packs", packs.size());
      for (PackEntry pack : packs) {
        try {
          bytes += restored.copy(pack, copy.owner(pack.id()), monitor);
        } catch (StoreException.Missing e) {
          throw gone(copy, List.of(e.key()), e);
        }
        monitor.update(1);
      }
      monitor.endTask();
      refs.apply();
      return new Report(copy.generation(), packs.size(), bytes, refs.changes());
    }
  }

  private RefRestoration refs(S3Repository repository, Manifest copy) throws IOException {
    if (!copy.holdsRepository()) {
      throw new IOException(
          "the copy of generation "
              + copy.generation()
              + " has no repository, because it was made after the deletion; take an older copy;"
              + " nothing was changed");
    }
    try {
      return repository
          .history()
          .restoration(copy.generation(), SnapshotTables.read(manager.store(), copy));
    } catch (StoreException.Missing e) {
      throw gone(copy, List.of(e.key()), e);
    }
  }

  /**
   * Looks for the objects of packs.
   *
   * @return their bytes
   * @throws IOException if some are gone; it names each
   */
  private long stored(Manifest copy, List<PackEntry> packs) throws IOException {
    long bytes = 0;
    List<String> gone = new ArrayList<>();
    for (PackEntry pack : packs) {
      for (var object : pack.objectSizes(copy.owner(pack.id())).entrySet()) {
        if (manager.store().stat(object.getKey()).isEmpty()) {
          gone.add(object.getKey());
        }
        bytes += object.getValue();
      }
    }
    if (!gone.isEmpty()) {
      throw gone(copy, gone, null);
    }
    return bytes;
  }

  /** Packs that only the copy lists. */
  private static List<PackEntry> unlisted(S3Repository repository, Manifest copy)
      throws IOException {
    Manifest now = repository.manifest();
    Set<String> listed = new HashSet<>();
    now.packs().forEach(pack -> listed.add(stored(now, pack)));
    return copy.packs().stream().filter(pack -> !listed.contains(stored(copy, pack))).toList();
  }

  private static String stored(Manifest manifest, PackEntry pack) {
    return ObjectNames.prefix(manifest.owner(pack.id())) + pack.id();
  }

  private IOException gone(Manifest copy, List<String> keys, Throwable cause) {
    return new IOException(
        "of the copy of generation "
            + copy.generation()
            + " is gone: "
            + keys.stream()
                .map(key -> manager.store().location() + "/" + key)
                .collect(Collectors.joining(" "))
            + "; bring it back from a version that the bucket keeps, or from a backup,"
            + " then restore again; nothing was changed",
        cause);
  }
}
