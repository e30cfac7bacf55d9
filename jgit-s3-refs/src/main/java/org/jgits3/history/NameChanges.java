// SPDX-License-Identifier: Apache-2.0
package org.jgits3.history;

import java.io.IOException;
import java.security.MessageDigest;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.eclipse.jgit.annotations.Nullable;
import org.jgits3.history.RepositoryChange.Kind;
import org.jgits3.history.StoreCursor.Entry;
import org.jgits3.internal.fleet.NameTable;
import org.jgits3.internal.function.IoSupplier;
import org.jgits3.internal.refs.log.LogObjects;
import org.jgits3.internal.store.file.DirectoryObjectStore;
import org.jgits3.internal.store.read.ParallelRequests;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.Refs;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.manifest.RepositorySettings;
import org.jgits3.manifest.RepositoryState;
import org.jgits3.manifest.VersionedManifest;
import org.jgits3.store.ObjectVersion;
import org.jgits3.store.StoreException;

/**
 * Determines what happened to a name since a cursor, from the manifest that it has now. If a
 * repository was renamed from it or to it, visits the other name with it: a listing does not show a
 * single moment, and may contain both names or neither. Used by one thread.
 */
final class NameChanges {
  /** Most renames of one repository that are followed. */
  private static final int MOST_RENAMES = 16;

  private final StoreCursor cursor;
  private final StoreHistory.Manifests manifests;
  private final boolean trusted;
  private final LogObjects log;
  private final MessageDigest sha256 = DirectoryObjectStore.sha256();

  /** Manifests that were read together, or the failures to read them; until they are visited. */
  private final Map<RepositoryName, IoSupplier<Optional<VersionedManifest>>> answers =
      new ConcurrentHashMap<>();

  /** Ids of repositories that were returned as deleted. */
  private final Set<String> deleted = new HashSet<>();

  @Nullable private RepositoryIds ids; // made for the first repository that has arrived

  /**
   * Entries of the next cursor, for all names that were visited together. Refers to no manifest,
   * because it is kept until the end of a poll.
   */
  static final class Updates {
    private final Map<RepositoryName, Optional<Entry>> entries = new HashMap<>();
    private volatile boolean left;

    Map<RepositoryName, Optional<Entry>> entries() {
      return entries;
    }

    void leave() {
      left = true;
    }

    boolean isLeft() {
      return left;
    }
  }

  /**
   * Changes that were determined together.
   *
   * @param changes the changes, deletions first; none if nothing but a version changed
   * @param updates entries of the next cursor
   */
  record Group(List<RepositoryChange> changes, Updates updates) {}

  NameChanges(
      StoreCursor cursor, StoreHistory.Manifests manifests, boolean trusted, LogObjects log) {
    this.cursor = cursor;
    this.manifests = manifests;
    this.trusted = trusted;
    this.log = log;
  }

  /**
   * Reads manifests in parallel, for the visits that follow.
   *
   * @param listed names of a listing
   * @throws StoreException.Unavailable if the store does not answer
   */
  void read(List<Scan.Name> listed) throws IOException {
    answers.clear();
    ParallelRequests.forEach(
        listed, each -> answers.put(each.name(), answer(each.name(), each::hasVersion)));
  }

  /** Reads a manifest. The visit throws a failure; this does only if the store does not answer. */
  private IoSupplier<Optional<VersionedManifest>> answer(
      RepositoryName name, Predicate<ObjectVersion> newest) throws IOException {
    try {
      Optional<VersionedManifest> read = manifests.read(name, newest);
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

  /**
   * Determines what happened to a name, and to those that renames lead to.
   *
   * @param name the name
   * @return the changes
   * @throws StoreException.Unavailable if the store does not answer
   */
  Group visit(RepositoryName name) throws IOException {
    try {
      Visit first = new Visit();
      Group group = first.all(name);
      if (!first.isCertain()) {
        group = new Visit().all(name);
      }
      group.changes().stream()
          .filter(change -> change.kind() == Kind.DELETED)
          .forEach(change -> deleted.add(change.repositoryId()));
      return group;
    } catch (StoreException.Unavailable e) {
      throw e;
    } catch (IOException e) {
      return unavailable(name, e);
    }
  }

  private Group unavailable(RepositoryName name, IOException why) {
    Updates updates = new Updates();
    updates.entries.put(name, Optional.empty());
    updates.leave();
    String id = known(name).map(Entry::repositoryId).orElse("");
    RepositoryChange change =
        new RepositoryChange(
            Kind.UNAVAILABLE, name.value(), id, Optional.empty(), failing(why), updates);
    return new Group(List.of(change), updates);
  }

  private Optional<Entry> known(RepositoryName name) {
    return cursor.entry(NameTable.stored(name.manifestKey()));
  }

  /** Name under which the cursor has a repository. */
  private Optional<RepositoryName> formerName(String repositoryId) {
    if (ids == null) {
      ids = new RepositoryIds(cursor);
    }
    OptionalInt at = ids.find(repositoryId);
    return at.isEmpty() ? Optional.empty() : cursor.table().repository(at.getAsInt());
  }

  private Entry entry(VersionedManifest of) {
    Manifest manifest = of.manifest();
    ObjectVersion version = trusted ? of.version() : new ObjectVersion(manifest.nonce());
    return new Entry(
        Scan.digest(sha256, version),
        manifest.repositoryId(),
        isImport(manifest) ? 0 : manifest.generation());
  }

  private static boolean isImport(Manifest manifest) {
    return manifest.state() instanceof RepositoryState.Active active
        && active.importOf().isPresent();
  }

  private static boolean isOf(Optional<VersionedManifest> found, String repositoryId) {
    return found.isPresent() && found.get().manifest().repositoryId().equals(repositoryId);
  }

  /** A visit of one name and of those that renames lead to. */
  private final class Visit {
    private final Map<RepositoryName, Optional<VersionedManifest>> read = new HashMap<>();
    private final Queue<RepositoryName> next = new ArrayDeque<>();
    private final Set<RepositoryName> visited = new HashSet<>();
    private final Set<String> arrived = new HashSet<>();
    private final List<RepositoryChange> changes = new ArrayList<>();
    private final Updates updates = new Updates();
    private boolean early; // some names were read together, before the others
    private boolean certain = true;

    /**
     * Visits all names, with the manifests that were read together if the first is among them.
     *
     * @param first the first name
     */
    Group all(RepositoryName first) throws IOException {
      early = answers.containsKey(first);
      next.add(first);
      while (!next.isEmpty()) {
        RepositoryName name = next.remove();
        if (visited.add(name)) {
          one(name);
        }
      }
      changes.sort(Comparator.comparing(change -> change.kind() != Kind.DELETED));
      return new Group(changes, updates);
    }

    /** Tests whether the manifests are consistent, although they were read one after the other. */
    boolean isCertain() {
      return certain;
    }

    private void one(RepositoryName name) throws IOException {
      Optional<Entry> before = known(name);
      Optional<VersionedManifest> now = holder(name);
      Optional<Entry> after = now.map(NameChanges.this::entry);
      if (before.isPresent() && after.filter(before.get()::isSame).isPresent()) {
        return; // only asked because the listing gave no version
      }
      updates.entries.put(name, after);
      if (before.isPresent() && isOf(now, before.get().repositoryId())) {
        report(name, Optional.of(name), before, now.get());
        return;
      }
      if (before.isPresent()) {
        departed(name, before.get());
      }
      if (now.isPresent()) {
        arrived(name, now.get());
      }
    }

    /** Handles a repository that no longer has the name: it was renamed or deleted. */
    private void departed(RepositoryName name, Entry before) throws IOException {
      String id = before.repositoryId();
      Optional<RepositoryName> target = follow(name, id, MOST_RENAMES);
      if (target.isPresent()) {
        next.add(target.get());
      } else if (before.reported() && !arrived.contains(id)) {
        certain = certain && !(early && !isTombstone(manifest(name), id));
        changes.add(
            new RepositoryChange(
                Kind.DELETED, name.value(), id, Optional.empty(), () -> none(before), updates));
      }
    }

    private Transactions none(Entry before) {
      Manifest nothing =
          Manifest.blank(
              before.repositoryId(),
              RepositoryState.DELETED,
              before.generation(),
              before.generation(),
              RepositorySettings.NONE,
              Refs.NONE);
      return new Transactions(log, nothing, before.generation(), generation -> false);
    }

    private boolean isTombstone(Optional<VersionedManifest> found, String repositoryId) {
      return isOf(found, repositoryId)
          && found.get().manifest().state() instanceof RepositoryState.Deleted;
    }

    /** Handles a repository that did not have the name before: it was renamed or created. */
    private void arrived(RepositoryName name, VersionedManifest now) throws IOException {
      String id = now.manifest().repositoryId();
      arrived.add(id);
      Optional<RepositoryName> former = deleted.contains(id) ? Optional.empty() : formerName(id);
      if (former.isPresent() && isOf(holder(former.get()), id)) {
        if (!early) {
          throw twoNames(id, former.get(), name);
        }
        certain = false;
        return;
      }
      former.ifPresent(next::add);
      report(name, former, former.flatMap(NameChanges.this::known), now);
    }

    private ManifestException twoNames(String id, RepositoryName one, RepositoryName other) {
      return new ManifestException(
          "repository "
              + id
              + " has two names, "
              + one
              + " and "
              + other
              + ", as in a copy of the store; see verify --names",
          null);
    }

    /**
     * Reports the repository that has a name.
     *
     * @param former name that the cursor has it under
     * @param before what the cursor knows of it
     */
    private void report(
        RepositoryName name,
        Optional<RepositoryName> former,
        Optional<Entry> before,
        VersionedManifest now) {
      Manifest manifest = now.manifest();
      long since = before.map(Entry::generation).orElse(0L);
      boolean renamed = since > 0 && !former.equals(Optional.of(name));
      if (isImport(manifest) || (manifest.generation() == since && !renamed)) {
        return;
      }
      Kind kind = since == 0 ? Kind.CREATED : renamed ? Kind.RENAMED : Kind.CHANGED;
      boolean restored = manifest.generation() < since;
      long after = restored ? 0 : since;
      changes.add(
          new RepositoryChange(
              restored ? Kind.RESTORED : kind,
              name.value(),
              manifest.repositoryId(),
              former.filter(other -> renamed).map(RepositoryName::value),
              () ->
                  new Transactions(
                      log,
                      manifest,
                      after,
                      generation -> manifests.isOwn(name, manifest.repositoryId(), generation)),
              updates));
    }

    /** The repository that a name stands for; none if it is being renamed and has its new name. */
    private Optional<VersionedManifest> holder(RepositoryName name) throws IOException {
      Optional<VersionedManifest> found =
          manifest(name).filter(each -> each.manifest().holdsRepository());
      if (found.isEmpty() || !(found.get().manifest().state() instanceof RepositoryState.Moving)) {
        return found;
      }
      String id = found.get().manifest().repositoryId();
      return follow(name, id, MOST_RENAMES).isPresent() ? Optional.empty() : found;
    }

    /**
     * The name that a repository has now, after renames from another; empty if it was not renamed,
     * was deleted since, or was renamed more than {@code most} times.
     */
    private Optional<RepositoryName> follow(RepositoryName name, String id, int most)
        throws IOException {
      Optional<RepositoryName> to = manifest(name).flatMap(found -> target(found.manifest(), id));
      if (to.isEmpty() || most == 0) {
        return Optional.empty();
      }
      Optional<RepositoryName> further = follow(to.get(), id, most - 1);
      boolean there =
          isOf(manifest(to.get()).filter(found -> found.manifest().holdsRepository()), id);
      return further.isEmpty() && there ? to : further;
    }

    private Optional<RepositoryName> target(Manifest from, String id) {
      if (from.state() instanceof RepositoryState.Moving moving && from.repositoryId().equals(id)) {
        return Optional.of(new RepositoryName(moving.to()));
      }
      return from.left().stream()
          .filter(departure -> departure.repositoryId().equals(id))
          .map(departure -> new RepositoryName(departure.to()))
          .findFirst();
    }

    private Optional<VersionedManifest> manifest(RepositoryName name) throws IOException {
      Optional<VersionedManifest> known = read.get(name);
      if (known == null) {
        var together = early ? answers.remove(name) : null;
        known = together == null ? manifests.read(name, version -> false) : together.get();
        read.put(name, known);
      }
      return known;
    }
  }
}
