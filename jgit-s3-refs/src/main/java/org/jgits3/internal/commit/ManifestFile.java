// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.commit;

import java.io.IOException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.eclipse.jgit.annotations.Nullable;
import org.jgits3.internal.concurrent.Uninterrupted;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ManifestCodec;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.manifest.RepositoryState;
import org.jgits3.manifest.VersionedManifest;
import org.jgits3.store.GetResult;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.ObjectVersion;
import org.jgits3.store.Precondition;

/** The stored manifest of one name. */
public final class ManifestFile {
  /** Limit of a read that is retried for as long as any request may be. */
  static final Duration AS_LONG_AS_ANY = ChronoUnit.FOREVER.getDuration();

  private final ObjectStore store;
  private final RepositoryName name;
  private final String key;
  private final String where;
  private final ManifestReads reads;
  private final ManifestCounters metrics;

  /**
   * Bytes read or written last, and the manifest that they encode; null unless reads are compared.
   * Replaced as a whole, by any thread. If a slow thread puts older bytes back, the next read gets
   * different ones and decodes them, because it uses this manifest only for equal bytes.
   */
  @Nullable private volatile Kept kept;

  @SuppressWarnings("ArrayRecordComponent") // compared by hand
  private record Kept(byte[] bytes, Manifest manifest) {}

  public ManifestFile(ObjectStore store, RepositoryName name) {
    this(store, name, ManifestReads.VALIDATED, new ManifestCounters());
  }

  ManifestFile(
      ObjectStore store, RepositoryName name, ManifestReads reads, ManifestCounters metrics) {
    this.reads = reads;
    this.metrics = metrics;
    this.store = store;
    this.name = name;
    this.key = name.manifestKey();
    this.where = "manifest " + store.location() + "/" + key;
  }

  /** The way it learns of changes. */
  ManifestReads reads() {
    return reads;
  }

  /** Counters for its reads and its failed commits. */
  ManifestCounters metrics() {
    return metrics;
  }

  /** Name for messages. */
  @Override
  public String toString() {
    return where;
  }

  /** Reads it: one GET. Empty if there is none. */
  public Optional<VersionedManifest> read() throws IOException {
    return refresh(Optional.empty(), AS_LONG_AS_ANY);
  }

  /**
   * Reads it unless it is still the one known: one GET, conditional if versions are trusted.
   *
   * @param known manifest read or written before; empty to read it in any case
   * @param limit time for which the request is retried
   * @return {@code known} itself if the store says that nothing changed; the same manifest with the
   *     newest version if the bytes are equal; empty if there is none
   * @throws ManifestException.Corrupt if it went back to an earlier generation of the same
   *     repository
   */
  Optional<VersionedManifest> refresh(Optional<VersionedManifest> known, Duration limit)
      throws IOException {
    boolean conditional = reads == ManifestReads.VALIDATED;
    GetResult answer = get(known.filter(any -> conditional).map(VersionedManifest::version), limit);
    if (answer instanceof GetResult.NotModified) {
      return known;
    }
    if (!(answer instanceof GetResult.Found found)) {
      return Optional.empty();
    }
    VersionedManifest seen = decode(found);
    if (known.isPresent()) {
      checkNotBack(known.get().manifest(), seen.manifest());
    }
    return Optional.of(seen);
  }

  private void checkNotBack(Manifest before, Manifest after) throws ManifestException {
    boolean sameRepository = after.repositoryId().equals(before.repositoryId());
    boolean same =
        after.generation() == before.generation() && after.nonce().equals(before.nonce());
    if (sameRepository && !same && after.generation() <= before.generation()) {
      throw new ManifestException.Corrupt(
          where
              + ": went from generation "
              + before.generation()
              + " back to "
              + after.generation()
              + "; a stale cache on the path, or old bytes put back by hand",
          null);
    }
  }

  /**
   * Stored form of a manifest under this name.
   *
   * @param manifest manifest to store
   * @param most bytes it may have
   * @throws IOException as {@link ManifestCodec#encode}
   */
  byte[] encode(Manifest manifest, int most) throws IOException {
    return ManifestCodec.encode(name, manifest, most);
  }

  /** A write of it, to be attempted until it is decided. */
  ConditionalWrite write(byte[] body, Precondition precondition) {
    return new ConditionalWrite(store, key, body, precondition);
  }

  /** Refuses to write a manifest that requires what this code does not know. */
  public void checkWritable(Manifest manifest) throws ManifestException {
    if (!manifest.writable()) {
      throw new ManifestException.Unsupported(
          where
              + ": requires "
              + manifest.identity().requires()
              + " of a writer; use a newer version");
    }
  }

  /** The exception for a manifest that does not stand for an active repository. */
  public ManifestException.Gone gone(Optional<RepositoryState> state) {
    return new ManifestException.Gone(where + ": " + describe(state), state);
  }

  private static String describe(Optional<RepositoryState> state) {
    if (state.isEmpty()) {
      return "no such repository";
    } else if (state.get() instanceof RepositoryState.Moved moved) {
      return "the repository was renamed to " + moved.to();
    } else if (state.get() instanceof RepositoryState.Moving moving) {
      return "the repository is being renamed to "
          + moving.to()
          + "; repeat the rename if it was interrupted";
    } else if (state.get() instanceof RepositoryState.Reserved reserved) {
      return "the name is kept for "
          + reserved.from()
          + ", which is being renamed to it; repeat the rename if it was interrupted";
    } else if (state.get() instanceof RepositoryState.Deleted) {
      return "the repository was deleted";
    }
    return "the repository was deleted, and another one created under its name";
  }

  /**
   * Reads by one GET. If an interrupt ends it, sends it again, because other callers may wait for
   * its answer as well.
   */
  private GetResult get(Optional<ObjectVersion> known, Duration limit) throws IOException {
    AtomicReference<GetResult> result = new AtomicReference<>();
    Uninterrupted.await(
        () -> {
          try {
            result.set(store.get(key, known, limit));
          } catch (IOException e) {
            if (Thread.interrupted()) {
              throw new InterruptedException();
            }
            throw e;
          }
        });
    return result.get();
  }

  private VersionedManifest decode(GetResult.Found found) throws ManifestException {
    Kept last = kept;
    if (last != null && Arrays.equals(last.bytes(), found.bytes())) {
      return new VersionedManifest(last.manifest(), found.version());
    }
    Manifest manifest = ManifestCodec.decode(where, name, found.bytes());
    metrics.decoded();
    keep(found.bytes(), manifest);
    return new VersionedManifest(manifest, found.version());
  }

  /**
   * Remembers the stored form of a manifest, if reads are compared with it.
   *
   * @param bytes its bytes, not modified any more
   * @param manifest manifest that they encode
   */
  void keep(byte[] bytes, Manifest manifest) {
    if (reads == ManifestReads.COMPARED) {
      kept = new Kept(bytes, manifest);
    }
  }
}
