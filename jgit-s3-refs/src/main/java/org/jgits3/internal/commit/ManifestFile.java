// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.commit;

import java.io.IOException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.stream.LongStream;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The stored manifest of one repository, found by the repository's name, by its id, or by both, and
 * as this process has seen it last.
 *
 * <p>Found by its name, each read follows the name's pointer until the repository that it leads to
 * has the name; from then on it is the manifest of that repository, whatever the name leads to.
 *
 * <p>Keeps the newest manifest that {@link #validate}, {@link #accept} or {@link #install} was
 * given, and the newest generations that this process has committed. The generation of the manifest
 * never goes back, however late an answer arrives.
 *
 * <p>Safe for use by many threads.
 */
public final class ManifestFile {
  private static final Logger LOG = LoggerFactory.getLogger(ManifestFile.class);

  /** Number of own generations remembered. */
  private static final int OWN = 256;

  /** Limit of a read that is retried for as long as any request may be. */
  static final Duration AS_LONG_AS_ANY = ChronoUnit.FOREVER.getDuration();

  private final ObjectStore store;
  private final Optional<RepositoryName> name;
  private final boolean trusted;
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

  private final AtomicLong arrivals = new AtomicLong();
  private final List<BiConsumer<Manifest, Manifest>> listeners = new CopyOnWriteArrayList<>();
  private final Queue<News> news = new ConcurrentLinkedQueue<>(); // added to under this
  private final Semaphore telling = new Semaphore(1); // held by the thread that takes news
  private volatile Seen seen; // written under this
  private volatile boolean gone; // a hint, so any thread may set it
  private volatile boolean ended; // for good

  /** The last generations committed; none at first, as most repositories are only read. */
  private long[] own = {}; // guarded by this

  private int next; // guarded by this

  /**
   * A manifest that was seen.
   *
   * @param manifest the manifest
   * @param asOf number of an arrival after which it was still the current one
   */
  record Seen(VersionedManifest manifest, long asOf) {}

  private record News(Manifest before, Manifest after) {}

  /**
   * The manifest of a known repository.
   *
   * @param store where it is
   * @param repositoryId id of the repository
   * @param name name that it must have to be served; empty if an import is making it
   */
  public ManifestFile(ObjectStore store, String repositoryId, Optional<RepositoryName> name) {
    this(store, name, repositoryId, true, new Counters());
  }

  /**
   * The manifest of a repository.
   *
   * @param store where it is
   * @param name name that it must have to be served; empty if an import is making it
   * @param repositoryId id of the repository; null if the name's pointer is to tell it
   * @param trusted true to learn by its version whether it has changed: one conditional GET, whose
   *     answer has no body if not. False for paths whose versions cannot be trusted: each GET has a
   *     body, which is compared with the bytes of the known manifest, at most {@link
   *     Manifest#MAX_BYTES}, which are kept in memory for that
   * @param counters counts manifests that are parsed
   */
  public ManifestFile(
      ObjectStore store,
      Optional<RepositoryName> name,
      @Nullable String repositoryId,
      boolean trusted,
      Counters counters) {
    this.store = store;
    this.name = name;
    this.repositoryId = repositoryId;
    this.trusted = trusted;
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

  /** Tests whether its version tells that it has not changed. */
  boolean trusted() {
    return trusted;
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
    GetResult answer =
        get(
            ObjectNames.manifestKey(id),
            known.filter(any -> trusted).map(VersionedManifest::version),
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

  /** A write of it, to be attempted until it is decided. */
  ConditionalWrite write(byte[] body, Precondition precondition) {
    return new ConditionalWrite(store, key(), body, precondition);
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
    if (!trusted) {
      kept = new Kept(bytes, manifest);
    }
  }

  /** Numbers an arriving caller; a request with at least this number started after the arrival. */
  long arrive() {
    return arrivals.incrementAndGet();
  }

  /** Number for a request that starts now. */
  long arrivals() {
    return arrivals.get();
  }

  /** The newest manifest seen; empty before the first. */
  Optional<Seen> seen() {
    return Optional.ofNullable(seen);
  }

  /** The newest manifest seen, without the number; empty before the first. */
  Optional<VersionedManifest> newest() {
    return seen().map(Seen::manifest);
  }

  /**
   * Asks the store for a newer manifest.
   *
   * @param limit time for which the request is retried
   * @return the newest manifest, the one read or a later one
   * @throws ManifestException.Gone if it is that of a repository which the file does not serve
   * @throws IOException if it cannot be read
   */
  VersionedManifest validate(Duration limit) throws IOException {
    long asOf = arrivals();
    return accept(refresh(newest(), limit), asOf);
  }

  /**
   * Takes the answer of a read.
   *
   * @param read the answer
   * @param asOf number of the request
   * @return the newest manifest, the one read or a later one
   * @throws ManifestException.Gone if it is that of a repository which the file does not serve
   */
  VersionedManifest accept(Optional<VersionedManifest> read, long asOf)
      throws ManifestException.Gone {
    Optional<RepositoryState> state = read.map(found -> found.manifest().state());
    if (state.filter(this::serves).isEmpty()) {
      throw gone(state);
    }
    return install(read.get(), asOf);
  }

  /** Notes that the repository does not have the name, and creates the exception that says so. */
  ManifestException.Gone gone(Optional<RepositoryState> state) {
    gone = true;
    return new ManifestException.Gone(this + ": " + describe(state));
  }

  /** Tests whether the last answer said that the repository is gone, or {@link #end} was called. */
  boolean isGone() {
    return gone || ended;
  }

  /** Treats the repository as gone from now on, whatever late answers say. */
  void end() {
    ended = true;
  }

  /**
   * Replaces the newest known manifest, unless that is newer than the given one.
   *
   * @param manifest active manifest that was read or written
   * @param asOf number of the request
   * @return the newest manifest
   */
  synchronized VersionedManifest install(VersionedManifest manifest, long asOf) {
    if (seen == null || manifest.manifest().generation() > generation(seen.manifest())) {
      gone = false;
      news.add(new News(seen == null ? null : seen.manifest().manifest(), manifest.manifest()));
      seen = new Seen(manifest, asOf);
    } else if (manifest.manifest().generation() == generation(seen.manifest())) {
      seen = new Seen(manifest, Math.max(asOf, seen.asOf()));
    }
    return seen.manifest();
  }

  /** Notes that this process has committed a generation. */
  synchronized void committed(long generation) {
    own = own.length == 0 ? new long[OWN] : own;
    own[next] = generation;
    next = (next + 1) % OWN;
  }

  /** Tests whether this process has committed a generation, as far as it remembers. */
  synchronized boolean hasCommitted(long generation) {
    return generation != 0 && LongStream.of(own).anyMatch(each -> each == generation);
  }

  void onChange(BiConsumer<Manifest, Manifest> listener) {
    listeners.add(listener);
  }

  /**
   * Notifies the listeners of changes, unless another thread is doing so; that thread looks for
   * more when it has finished.
   */
  void announce() {
    while (!news.isEmpty() && telling.tryAcquire()) {
      try {
        tell(news.poll());
      } finally {
        telling.release();
      }
    }
  }

  private void tell(@Nullable News item) {
    if (item == null) { // another thread was faster
      return;
    }
    for (BiConsumer<Manifest, Manifest> listener : listeners) {
      try {
        listener.accept(item.before(), item.after());
      } catch (RuntimeException | Error e) { // the commit stands
        LOG.error("{}: a listener failed at generation {}", this, item.after().generation(), e);
      }
    }
  }

  private static long generation(VersionedManifest manifest) {
    return manifest.manifest().generation();
  }
}
