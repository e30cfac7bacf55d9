// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.commit;

import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.stream.LongStream;
import org.eclipse.jgit.annotations.Nullable;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.RepositoryState;
import org.jgits3.manifest.VersionedManifest;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The newest manifest of one repository that this process has seen, and the newest generations that
 * it has committed. The generation of the manifest never goes back, however late an answer arrives.
 *
 * <p>Safe for use by many threads.
 */
final class LatestManifest {
  private static final Logger LOG = LoggerFactory.getLogger(LatestManifest.class);

  /** Number of own generations remembered. */
  private static final int OWN = 256;

  private final ManifestFile file;
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

  LatestManifest(ManifestFile file) {
    this.file = file;
  }

  /** Numbers an arriving caller; a request with at least this number started after the arrival. */
  long arrive() {
    return arrivals.incrementAndGet();
  }

  /** Number for a request that starts now. */
  long arrivals() {
    return arrivals.get();
  }

  Optional<Seen> get() {
    return Optional.ofNullable(seen);
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
    if (state.filter(file::serves).isEmpty()) {
      throw gone(state);
    }
    return install(read.get(), asOf);
  }

  /** Notes that the repository does not have the name, and creates the exception that says so. */
  ManifestException.Gone gone(Optional<RepositoryState> state) {
    gone = true;
    return file.gone(state);
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
        LOG.error("{}: a listener failed at generation {}", file, item.after().generation(), e);
      }
    }
  }

  private static long generation(VersionedManifest manifest) {
    return manifest.manifest().generation();
  }
}
