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
import org.jgits3.manifest.NamePointer;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.manifest.RepositoryState;
import org.jgits3.manifest.VersionedManifest;
import org.jgits3.metrics.Count;
import org.jgits3.metrics.Counters;
import org.jgits3.store.GetResult;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.ObjectVersion;
import org.jgits3.store.Precondition;

/**
 * The stored manifest of one repository, found by the repository's name, by its id, or by both.
 *
 * <p>Found by its name, each read follows the name's pointer until the repository that it leads to
 * has the name; from then on it is the manifest of that repository, whatever the name leads to.
 * Safe for use by many threads.
 */
public final class ManifestFile {
  /** Limit of a read that is retried for as long as any request may be. */
  static final Duration AS_LONG_AS_ANY = ChronoUnit.FOREVER.getDuration();

  private final ObjectStore store;
  private final Optional<RepositoryName> name;
  private final ManifestReads reads;
  private final Counters counters;

  /** Id of the repository; null until a repository that has the name was found. Written once. */
  @Nullable private volatile String repositoryId;

  /**
   * Bytes read or written last, and the manifest that they encode; null unless reads are compared.
   * Replaced as a whole, by any thread. If a slow thread puts older bytes back, the next read gets
   * different ones and decodes them, because it uses this manifest only for equal bytes.
   */
  @Nullable private volatile Kept kept;

  @SuppressWarnings("ArrayRecordComponent") // compared by hand
  private record Kept(byte[] bytes, Manifest manifest) {}

  /**
   * The manifest of the repository that a name leads to.
   *
   * @param store where it is
   * @param name the name, which the repository must have to be served
   * @param reads how to find out whether it has changed
   * @param counters counts manifests that are parsed
   */
  public ManifestFile(
      ObjectStore store, RepositoryName name, ManifestReads reads, Counters counters) {
    this(store, Optional.of(name), null, reads, counters);
  }

  /**
   * The manifest of a known repository.
   *
   * @param store where it is
   * @param repositoryId id of the repository
   * @param name name that it must have to be served; empty if an import is making it
   */
  public ManifestFile(ObjectStore store, String repositoryId, Optional<RepositoryName> name) {
    this(store, name, repositoryId, ManifestReads.VALIDATED, new Counters());
  }

  /**
   * The manifest of a known repository.
   *
   * @param store where it is
   * @param name name that it must have to be served; empty if an import is making it
   * @param repositoryId id of the repository; null if the name's pointer is to tell it
   * @param reads how to find out whether it has changed
   * @param counters counts manifests that are parsed
   */
  public ManifestFile(
      ObjectStore store,
      Optional<RepositoryName> name,
      @Nullable String repositoryId,
      ManifestReads reads,
      Counters counters) {
    this.store = store;
    this.name = name;
    this.repositoryId = repositoryId;
    this.reads = reads;
    this.counters = counters;
  }

  /**
   * Reads the manifest of a repository, whatever its state: one GET.
   *
   * @param store where it is
   * @param repositoryId id of the repository
   * @return the manifest; empty if there is none
   * @throws IOException if it cannot be read
   */
  public static Optional<VersionedManifest> read(ObjectStore store, String repositoryId)
      throws IOException {
    return new ManifestFile(store, repositoryId, Optional.empty()).read();
  }

  /**
   * Reads a known manifest again: one GET, without content if it has not changed and versions are
   * trusted.
   *
   * @param known the manifest as it was read or written before
   * @return the newest one; empty if there is none
   * @throws IOException if it cannot be read
   */
  public Optional<VersionedManifest> readAgain(VersionedManifest known) throws IOException {
    return refresh(Optional.of(known), AS_LONG_AS_ANY);
  }

  /** The way it learns of changes. */
  ManifestReads reads() {
    return reads;
  }

  /** Counters for its reads and its failed commits. */
  Counters counters() {
    return counters;
  }

  /** Key of the manifest; that of the name's pointer until the repository is known. */
  public String key() {
    String id = repositoryId;
    return id == null ? name.orElseThrow().pointerKey() : ObjectNames.manifestKey(id);
  }

  /** Name for messages. */
  @Override
  public String toString() {
    return label(key());
  }

  private String label(String key) {
    String where = store.location() + "/" + key;
    return name.map(known -> known + ", " + where).orElse(where);
  }

  /**
   * Tests whether a repository in some state is the one that this file is opened for.
   *
   * @param state its state
   * @return true if it has the name, or is still being imported if there is no name
   */
  boolean serves(RepositoryState state) {
    return name.isPresent()
        ? state instanceof RepositoryState.Active active && active.name().equals(name.get())
        : state instanceof RepositoryState.Importing;
  }

  /**
   * Notes the id of the repository, unless another one is known already.
   *
   * @param id id of a repository that had the name
   * @return true if this is the manifest of that repository
   */
  synchronized boolean is(String id) {
    if (repositoryId == null) {
      repositoryId = id;
    }
    return id.equals(repositoryId);
  }

  /** Reads it: one GET. Empty if there is none. */
  public Optional<VersionedManifest> read() throws IOException {
    return refresh(Optional.empty(), AS_LONG_AS_ANY);
  }

  /**
   * Reads it unless it is still the one known: one GET, conditional if versions are trusted; one
   * more for the pointer if the repository is not known yet.
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
    String id = repositoryId;
    return id == null ? find(limit) : refresh(id, known, limit);
  }

  private Optional<VersionedManifest> refresh(
      String id, Optional<VersionedManifest> known, Duration limit) throws IOException {
    boolean conditional = reads == ManifestReads.VALIDATED;
    GetResult answer =
        get(
            ObjectNames.manifestKey(id),
            known.filter(any -> conditional).map(VersionedManifest::version),
            limit);
    if (answer instanceof GetResult.NotModified) {
      return known;
    }
    if (!(answer instanceof GetResult.Found found)) {
      return Optional.empty();
    }
    VersionedManifest seen = decode(id, found);
    if (known.isPresent()) {
      checkNotBack(known.get().manifest(), seen.manifest());
    }
    return Optional.of(seen);
  }

  /**
   * Follows the pointer of the name. Keeps the id only of a repository that has the name: another
   * one may get the name before the next read.
   */
  private Optional<VersionedManifest> find(Duration limit) throws IOException {
    String key = name.orElseThrow().pointerKey();
    if (!(get(key, Optional.empty(), limit) instanceof GetResult.Found found)) {
      return Optional.empty();
    }
    NamePointer pointer = NamePointer.decode(store.location() + "/" + key, found.bytes());
    if (pointer.target().isEmpty()) {
      return Optional.empty();
    }
    String id = pointer.target().get().repositoryId();
    Optional<VersionedManifest> seen = refresh(id, Optional.empty(), limit);
    boolean serves = seen.filter(each -> serves(each.manifest().state())).isPresent();
    return serves && !is(id)
        ? refresh(Optional.empty(), limit) // the name went to another one meanwhile
        : seen;
  }

  private void checkNotBack(Manifest before, Manifest after) throws ManifestException {
    boolean same =
        after.generation() == before.generation() && after.nonce().equals(before.nonce());
    if (!same && after.generation() <= before.generation()) {
      throw new ManifestException.Corrupt(
          this
              + ": went from generation "
              + before.generation()
              + " back to "
              + after.generation()
              + "; a stale cache on the path, or old bytes put back by hand",
          null);
    }
  }

  /**
   * Stored form of a manifest.
   *
   * @param manifest manifest to store
   * @param most bytes it may have
   * @throws IOException as {@link ManifestCodec#encode}
   */
  byte[] encode(Manifest manifest, int most) throws IOException {
    return ManifestCodec.encode(manifest, most);
  }

  /** A write of it, to be attempted until it is decided. */
  ConditionalWrite write(byte[] body, Precondition precondition) {
    return new ConditionalWrite(store, key(), body, precondition);
  }

  /** Refuses to write a manifest that requires what this code does not know. */
  public void checkWritable(Manifest manifest) throws ManifestException {
    if (!manifest.writable()) {
      throw new ManifestException.Unsupported(
          this
              + ": requires "
              + manifest.identity().requires()
              + " of a writer; use a newer version");
    }
  }

  /** The exception for a repository that this file does not {@linkplain #serves serve}. */
  ManifestException.Gone gone(Optional<RepositoryState> state) {
    return new ManifestException.Gone(this + ": " + describe(state));
  }

  private static String describe(Optional<RepositoryState> state) {
    if (state.isEmpty()) {
      return "no such repository";
    } else if (state.get() instanceof RepositoryState.Active active) {
      return "the repository is called " + active.name() + " now";
    }
    return state.get() instanceof RepositoryState.Deleted
        ? "the repository was deleted"
        : "the repository has no name yet, because an import is making it";
  }

  /**
   * Reads by one GET. If an interrupt ends it, sends it again, because other callers may wait for
   * its answer as well.
   */
  private GetResult get(String key, Optional<ObjectVersion> known, Duration limit)
      throws IOException {
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

  private VersionedManifest decode(String id, GetResult.Found found) throws ManifestException {
    Kept last = kept;
    if (last != null && Arrays.equals(last.bytes(), found.bytes())) {
      return new VersionedManifest(last.manifest(), found.version());
    }
    Manifest manifest = ManifestCodec.decode(label(ObjectNames.manifestKey(id)), id, found.bytes());
    counters.add(Count.DECODINGS);
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
