// SPDX-License-Identifier: Apache-2.0
package org.jgits3;

import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.eclipse.jgit.annotations.Nullable;
import org.eclipse.jgit.lib.StoredConfig;
import org.jgits3.internal.commit.ManifestCommitter;
import org.jgits3.internal.commit.ManifestFile;
import org.jgits3.internal.pack.SharedPacks;
import org.jgits3.internal.refs.snapshot.TableCache;
import org.jgits3.internal.refs.transaction.SharedRefs;
import org.jgits3.internal.version.MaintenanceTarget;
import org.jgits3.maintenance.BackgroundMaintenance;
import org.jgits3.maintenance.Maintenance;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.manifest.VersionedManifest;
import org.jgits3.metrics.Counters;
import org.jgits3.store.ObjectStore;

/**
 * State that all handles of one repository in this process share. Safe for use by many threads.
 *
 * <p>Every handle refers to this, and none of its parts refers back to it, so that {@link
 * KnownRepositories} can tell whether it is in use.
 */
final class SharedRepository {
  /**
   * Bytes of memory for each byte that a manifest takes in the store, estimated without encoding
   * it, and for each pack that was listed. Once opened from a store, with their packs listed,
   * repositories took 4 KiB each with nothing in them, 43 KiB with 30 packs, 182 KiB with 2,000
   * refs since the last compaction, and 869 KiB with 700 packs; up to 152 KiB more where the stored
   * bytes are kept to be compared (heap of 50 to 2,000 of them, JDK 17, serial collector). With
   * these constants, they count as 8 KiB, 58 KiB, 281 KiB and 1,113 KiB.
   */
  private static final long DECODED_BYTES = 2;

  private static final long PACK_BYTES = 1 << 10;

  private final ObjectStore store;

  /** Name that the repository must have; empty while an import is making it. */
  private final Optional<RepositoryName> name;

  private final ManifestCommitter committer;
  private final SharedRefs refs;
  private final SharedPacks packs;

  /** Null until maintenance in the background has begun. */
  private final AtomicReference<BackgroundMaintenance> maintenance = new AtomicReference<>();

  SharedRepository(
      SharedPacks.Resources resources,
      Optional<RepositoryName> name,
      @Nullable String repositoryId,
      S3Settings settings,
      Executor background,
      Counters counters,
      TableCache budget) {
    this.store = resources.store();
    this.name = name;
    this.committer =
        new ManifestCommitter(
            new ManifestFile(store, name, repositoryId, settings.trustETag(), counters),
            settings.commitDeadline());
    this.refs = new SharedRefs(store, resources.uploads(), committer, background, counters, budget);
    this.packs = new SharedPacks(resources, committer, refs::makeRoom, refs::of);
  }

  /** Starts maintenance in the background, unless it has started already. */
  void maintain(BackgroundMaintenance background) {
    if (maintenance.compareAndSet(null, background)) {
      RepositoryName watched = name(); // not the field: a listener must not refer to this
      committer.onChange((before, after) -> background.consider(watched, after));
      committer.cached().ifPresent(known -> background.consider(watched, known.manifest()));
    }
  }

  /** Notes that a handle is opened, which checks whether maintenance has become due. */
  void opened() {
    BackgroundMaintenance background = maintenance.get();
    if (background != null) {
      committer.cached().ifPresent(known -> background.opened(name(), known.manifest()));
    }
  }

  /**
   * Estimates its memory while it is kept: its manifest and the objects made with it. Refs and pack
   * indexes have limits of their own.
   *
   * @return bytes, rounded up; 0 if its manifest was not read yet
   */
  long bytes() {
    return committer
        .cached()
        .map(VersionedManifest::manifest)
        .map(m -> DECODED_BYTES * m.approximateBytes() + PACK_BYTES * m.packs().size())
        .orElse(0L);
  }

  /** Id of the repository; empty before its manifest was read. */
  Optional<String> repositoryId() {
    return committer.cached().map(v -> v.manifest().repositoryId());
  }

  /** Its name, by which it is known. */
  RepositoryName name() {
    return name.orElseThrow();
  }

  /** Its name, or its id while it has none. */
  String label() {
    return name.map(RepositoryName::value).or(this::repositoryId).orElseThrow();
  }

  ManifestCommitter committer() {
    return committer;
  }

  SharedRefs refs() {
    return refs;
  }

  SharedPacks packs() {
    return packs;
  }

  Maintenance maintenance(Supplier<StoredConfig> config) {
    return new Maintenance(new MaintenanceTarget(store, label(), committer, packs, config));
  }

  Manifest manifest() throws IOException {
    return committer.known();
  }

  boolean exists() throws IOException {
    try {
      committer.validate();
      return true;
    } catch (ManifestException.Gone e) {
      return false;
    }
  }

  String location() {
    return store.location() + "/" + label();
  }
}
