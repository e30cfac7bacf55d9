// SPDX-License-Identifier: Apache-2.0
package org.jgits3;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.eclipse.jgit.annotations.Nullable;
import org.jgits3.internal.pack.SharedPacks;
import org.jgits3.internal.store.cache.LruCache;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.metrics.MemoryUse;

/**
 * The repositories that a process knows, by name: one object for each, shared by all its handles.
 * The most recently opened ones are kept, up to a number of bytes. An evicted one is still known
 * while a handle refers to it, so that a new handle shares what the others have received and sees
 * what they have written.
 *
 * <p>Handles are not counted: weak references tell which repositories are in use. A handle that is
 * dropped without being closed retains nothing.
 *
 * <p>Safe for use by many threads. No request is made under the lock.
 */
final class KnownRepositories implements MemoryUse {
  private final long limit;

  /** All that are known; guarded by this. */
  private final Map<RepositoryName, Named> known = new HashMap<>();

  /** Those that are kept, with their names; changed under the lock of this. */
  private final LruCache<SharedRepository, RepositoryName> kept;

  private final ReferenceQueue<SharedRepository> collected = new ReferenceQueue<>();

  /** A weak reference to a repository. Guarded by its owner. */
  private static final class Named extends WeakReference<SharedRepository> {
    private final RepositoryName name;

    /** Packs of a repository that was evicted with handles open, which may never be closed. */
    @Nullable private SharedPacks inUse;

    Named(SharedRepository repository, ReferenceQueue<SharedRepository> queue) {
      super(repository, queue);
      this.name = repository.name();
    }
  }

  /**
   * Creates an empty registry.
   *
   * @param limit most bytes that the kept repositories take, see {@link SharedRepository#bytes};
   *     the one opened last is kept even if it takes more by itself
   */
  KnownRepositories(long limit) {
    this.limit = limit;
    this.kept = new LruCache<>(limit);
  }

  /**
   * Returns the repository known by a name, or a new one if none is known or the known one is gone.
   * It is known while the caller refers to it, and kept only by {@link #keep}, so that names
   * without a repository evict none.
   *
   * @param name its name
   * @param create makes a new one, quickly
   * @return the repository
   */
  synchronized SharedRepository get(
      RepositoryName name, Function<RepositoryName, SharedRepository> create) {
    releaseCollected();
    SharedRepository found = at(name);
    if (found != null && !found.committer().isGone()) {
      return found;
    }
    letGo(name);
    SharedRepository created = create.apply(name);
    known.put(name, new Named(created, collected));
    return created;
  }

  /**
   * Keeps a repository that is being opened, unless it was forgotten meanwhile.
   *
   * @param repository one that {@link #get} has given
   */
  void keep(SharedRepository repository) {
    long weight = repository.bytes(); // visits all packs, so not under the lock
    synchronized (this) {
      Named named = known.get(repository.name());
      if (named == null || !named.refersTo(repository)) {
        return;
      }
      named.inUse = null;
      repository.packs().revive();
      for (SharedRepository evicted : kept.put(repository, repository.name(), weight)) {
        SharedPacks packs = evicted.packs();
        if (packs.retire()) {
          known.get(evicted.name()).inUse = packs;
        }
      }
    }
  }

  /**
   * The repository that is known by a name.
   *
   * @param name its name
   * @return the repository; empty if none is known
   */
  synchronized Optional<SharedRepository> find(RepositoryName name) {
    return Optional.ofNullable(at(name));
  }

  /**
   * All that are known.
   *
   * @return repositories in no particular order
   */
  synchronized List<SharedRepository> all() {
    List<SharedRepository> all = new ArrayList<>();
    for (Named each : known.values()) {
      SharedRepository repository = each.get();
      if (repository != null) {
        all.add(repository);
      }
    }
    return all;
  }

  /**
   * Forgets a repository, unless another one is known by its name. Open handles continue to use it.
   *
   * @param repository the repository
   */
  synchronized void forget(SharedRepository repository) {
    if (at(repository.name()) == repository) {
      letGo(repository.name());
    }
  }

  /** Names of those that are kept, least recently opened first. */
  List<String> keptNames() {
    return kept.keys().stream().map(each -> each.name().value()).toList();
  }

  /** Memory of the repositories that are kept, in bytes. */
  @Override
  public long held() {
    return kept.weight();
  }

  @Override
  public long limit() {
    return limit;
  }

  @Nullable
  private SharedRepository at(RepositoryName name) {
    Named named = known.get(name);
    return named == null ? null : named.get();
  }

  private void letGo(RepositoryName name) {
    Named named = known.remove(name);
    SharedRepository repository = named == null ? null : named.get();
    if (repository != null) {
      kept.remove(repository);
      repository.packs().retire();
    }
  }

  /** Removes repositories that no handle refers to any more, and the indexes loaded for them. */
  private void releaseCollected() {
    for (Reference<?> each = collected.poll(); each != null; each = collected.poll()) {
      Named named = (Named) each;
      known.remove(named.name, named);
      if (named.inUse != null) {
        named.inUse.abandon();
      }
    }
  }
}
