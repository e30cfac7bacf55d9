// SPDX-License-Identifier: Apache-2.0
package org.jgits3.history;

import java.io.IOException;
import java.security.MessageDigest;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jgits3.history.RepositoryChange.Kind;
import org.jgits3.history.StoreCursor.Entry;
import org.jgits3.internal.digest.Sha256;
import org.jgits3.internal.function.IoSupplier;
import org.jgits3.internal.refs.log.LogObjects;
import org.jgits3.internal.store.read.ParallelRequests;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.RepositoryState;
import org.jgits3.manifest.VersionedManifest;
import org.jgits3.store.ObjectVersion;
import org.jgits3.store.StoreException;

/**
 * Reads what happened to a repository since a cursor from its manifest. If it has a name that
 * another one had when that was read, the other one has left the name since, and is read again: two
 * repositories never have one name. Used by one thread.
 */
final class ChangeReader {
  /** Most times that a repository is read because others take and leave its names. */
  private static final int MOST_READS = 16;

  private final StoreCursor cursor;
  private final StoreHistory.Manifests manifests;
  private final boolean trusted;
  private final LogObjects log;
  private final MessageDigest sha256 = Sha256.begin();

  /** Manifests that were read together, or the failures to read them; until they are needed. */
  private final Map<String, IoSupplier<Optional<VersionedManifest>>> answers =
      new ConcurrentHashMap<>();

  /** Entries that earlier groups of the poll have found, by the ids of the repositories. */
  private final Map<String, Optional<Entry>> found = new HashMap<>();

  /** Ids of the repositories that earlier groups have found, by their names. */
  private final Map<String, String> holders = new HashMap<>();

  ChangeReader(
      StoreCursor cursor, StoreHistory.Manifests manifests, boolean trusted, LogObjects log) {
    this.cursor = cursor;
    this.manifests = manifests;
    this.trusted = trusted;
    this.log = log;
  }

  /**
   * Reads manifests in parallel, for the groups that follow.
   *
   * @param listed repositories of a listing
   * @throws StoreException.Unavailable if the store does not answer
   */
  void read(List<Scan.Listed> listed) throws IOException {
    answers.clear();
    ParallelRequests.forEach(
        listed,
        each -> answers.put(each.repositoryId(), answer(each.repositoryId(), each::hasVersion)));
  }

  /** Reads a manifest. Its use throws a failure; this does only if the store does not answer. */
  private IoSupplier<Optional<VersionedManifest>> answer(String id, Predicate<ObjectVersion> newest)
      throws IOException {
    try {
      Optional<VersionedManifest> read = manifests.read(id, name(known(id)), newest);
      return () -> read;
    } catch (StoreException.Unavailable e) {
      throw e;
    } catch (IOException e) {
      return failing(e);
    }
  }

  private static <T> IoSupplier<T> failing(IOException e) {
    return () -> {
      throw e;
    };
  }

  private Optional<Entry> known(String id) {
    Optional<Entry> later = found.get(id);
    return later == null ? cursor.entry(id) : later;
  }

  private static Optional<String> name(Optional<Entry> entry) {
    return entry.map(Entry::name).filter(name -> !name.isEmpty());
  }

  /**
   * Determines what happened to a repository, and to those that had its name.
   *
   * @param id id of the repository
   * @return the changes
   * @throws StoreException.Unavailable if the store does not answer
   */
  ChangeGroup group(String id) throws IOException {
    ChangeGroup group;
    try {
      group = changes(consistent(id));
    } catch (StoreException.Unavailable e) {
      throw e;
    } catch (IOException e) {
      return unavailable(id, e);
    }
    group
        .updates()
        .entries()
        .forEach(
            (each, entry) -> {
              found.put(each, entry);
              name(entry).ifPresent(name -> holders.put(name, each));
            });
    return group;
  }

  /** Reads a repository, and those that had its name, until no two have one name. */
  private Map<String, Optional<VersionedManifest>> consistent(String first) throws IOException {
    Map<String, Optional<VersionedManifest>> read = new LinkedHashMap<>();
    Map<String, Integer> reads = new HashMap<>();
    Deque<String> next = new ArrayDeque<>(List.of(first));
    while (!next.isEmpty()) {
      String id = next.remove();
      if (reads.merge(id, 1, Integer::sum) > MOST_READS) {
        throw new ManifestException(
            "repository "
                + id
                + " says a name that another one says as well, as in a copy of the store; see"
                + " verify --names",
            null);
      }
      Optional<VersionedManifest> manifest = manifest(id);
      read.remove(id);
      read.put(id, manifest); // as the last one
      manifest
          .flatMap(each -> nameOf(each.manifest()))
          .flatMap(name -> otherHolder(name, id, read))
          .ifPresent(next::add);
    }
    return read;
  }

  private Optional<VersionedManifest> manifest(String id) throws IOException {
    var together = answers.remove(id);
    return together == null
        ? manifests.read(id, name(known(id)), version -> false)
        : together.get();
  }

  private static Optional<String> nameOf(Manifest manifest) {
    return manifest.name().map(Object::toString);
  }

  /** Another repository that had a name when it was read or listed last. */
  private Optional<String> otherHolder(
      String name, String id, Map<String, Optional<VersionedManifest>> read) {
    for (var other : read.entrySet()) {
      if (!other.getKey().equals(id) && isCalled(other.getValue(), name)) {
        return Optional.of(other.getKey());
      }
    }
    return Optional.ofNullable(holders.get(name))
        .or(() -> cursor.holder(name))
        .filter(other -> !other.equals(id) && !read.containsKey(other))
        .filter(other -> name(known(other)).equals(Optional.of(name)));
  }

  private static boolean isCalled(Optional<VersionedManifest> manifest, String name) {
    return manifest.flatMap(each -> nameOf(each.manifest())).equals(Optional.of(name));
  }

  /** Compares what was read with the cursor; the last that was read has freed a name first. */
  private ChangeGroup changes(Map<String, Optional<VersionedManifest>> read) {
    ChangeGroup.Updates updates = new ChangeGroup.Updates();
    List<RepositoryChange> changes = new ArrayList<>();
    read.forEach(
        (id, now) -> {
          Optional<Entry> before = known(id);
          Optional<Entry> after =
              now.filter(each -> each.manifest().holdsRepository()).map(this::entry);
          if (before.isPresent() && after.filter(before.get()::isSame).isPresent()) {
            return; // read only because the listing gave no version, or for its name
          }
          updates.put(id, before, after);
          change(id, before, now, after, updates).ifPresent(changes::add);
        });
    Collections.reverse(changes);
    changes.sort(Comparator.comparing(change -> change.kind() != Kind.DELETED));
    return new ChangeGroup(changes, updates);
  }

  private Optional<RepositoryChange> change(
      String id,
      Optional<Entry> before,
      Optional<VersionedManifest> now,
      Optional<Entry> after,
      ChangeGroup.Updates updates) {
    long since = before.map(Entry::generation).orElse(0L);
    if (after.isEmpty()) {
      return before
          .filter(Entry::reported)
          .map(
              gone ->
                  new RepositoryChange(
                      Kind.DELETED,
                      gone.name(),
                      id,
                      Optional.empty(),
                      () -> Transactions.none(log, new LogPosition(id, since)),
                      updates));
    }
    if (!after.get().reported()) {
      return Optional.empty();
    }
    String name = after.get().name();
    long generation = after.get().generation();
    boolean renamed = since > 0 && !before.get().name().equals(name);
    if (generation == since && !renamed) {
      return Optional.empty();
    }
    boolean restored = generation < since;
    Kind kind =
        restored
            ? Kind.RESTORED
            : since == 0 ? Kind.CREATED : renamed ? Kind.RENAMED : Kind.CHANGED;
    Manifest manifest = now.get().manifest();
    return Optional.of(
        new RepositoryChange(
            kind,
            name,
            id,
            before.map(Entry::name).filter(former -> renamed),
            () ->
                new Transactions(
                    log, manifest, restored ? 0 : since, made -> manifests.isOwn(id, name, made)),
            updates));
  }

  private Entry entry(VersionedManifest of) {
    Manifest manifest = of.manifest();
    ObjectVersion version = trusted ? of.version() : new ObjectVersion(manifest.nonce());
    boolean importing = manifest.state() instanceof RepositoryState.Importing;
    return new Entry(
        Scan.digest(sha256, version),
        importing ? 0 : manifest.generation(),
        nameOf(manifest).orElse(""));
  }

  private ChangeGroup unavailable(String id, IOException why) {
    ChangeGroup.Updates updates = new ChangeGroup.Updates();
    updates.put(id, known(id), Optional.empty());
    updates.leave();
    RepositoryChange change =
        new RepositoryChange(
            Kind.UNAVAILABLE,
            name(known(id)).orElse("repository " + id),
            id,
            Optional.empty(),
            failing(why),
            updates);
    return new ChangeGroup(List.of(change), updates);
  }
}
