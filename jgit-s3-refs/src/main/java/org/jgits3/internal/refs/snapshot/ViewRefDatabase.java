// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.snapshot;

import java.io.IOException;
import java.util.Map;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.lib.RefRename;
import org.eclipse.jgit.lib.RefUpdate;
import org.eclipse.jgit.lib.ReflogReader;
import org.jgits3.internal.function.IoSupplier;
import org.jgits3.manifest.Manifest;
import org.jgits3.metrics.Counters;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.StoreException;

/**
 * Refs of one moment, answered from one view. Used by {@link RefUpdate} for its decision, and by
 * maintenance, which reads refs and packs of one manifest. Cannot change refs. Safe for use by many
 * threads.
 */
public final class ViewRefDatabase extends LookupRefDatabase {
  private final IoSupplier<RefView> view;

  public ViewRefDatabase(RefView view) {
    this(() -> view);
  }

  private ViewRefDatabase(IoSupplier<RefView> view) {
    this.view = view;
  }

  /**
   * The refs.
   *
   * @throws StoreException.Missing if the store does not have the snapshot
   * @throws StoreException.Corrupt if the snapshot has other bytes than were written
   * @throws IOException if it cannot be read
   */
  public RefView view() throws IOException {
    return view.get();
  }

  /**
   * Refs of a manifest, whose snapshot is read from the store when refs are first asked for. If it
   * cannot be read, the look-up fails, with {@link StoreException.Missing} if the store does not
   * have it, and {@link StoreException.Corrupt} if its bytes are not those that were written.
   *
   * @param store store of the repository
   * @param manifest the manifest
   * @return its refs
   */
  public static ViewRefDatabase of(ObjectStore store, Manifest manifest) {
    Counters counters = new Counters();
    TableCache kept = new TableCache(Long.MAX_VALUE, counters);
    SnapshotTables tables = new SnapshotTables(store, counters, kept, true);
    return new ViewRefDatabase(() -> tables.view(manifest.refs(), tables.of(manifest)));
  }

  @Override
  protected RefView lookup() throws IOException {
    return view();
  }

  @Override
  public RefView validated() throws IOException {
    return view();
  }

  @Override
  public RefUpdate newUpdate(String name, boolean detach) {
    throw new UnsupportedOperationException();
  }

  @Override
  public RefRename newRename(String from, String to) {
    throw new UnsupportedOperationException();
  }

  @Override
  @Deprecated
  public Map<String, Ref> getRefs(String prefix) {
    throw new UnsupportedOperationException();
  }

  /** All refs are peeled already. */
  @Override
  public Ref peel(Ref ref) {
    return ref;
  }

  @Override
  public ReflogReader getReflogReader(Ref ref) {
    throw new UnsupportedOperationException();
  }
}
