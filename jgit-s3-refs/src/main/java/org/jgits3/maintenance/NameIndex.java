// SPDX-License-Identifier: Apache-2.0
package org.jgits3.maintenance;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jgits3.internal.commit.ManifestFile;
import org.jgits3.internal.fleet.Claims;
import org.jgits3.internal.fleet.NameTable;
import org.jgits3.internal.store.read.ParallelRequests;
import org.jgits3.manifest.Departure;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ManifestCodec;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.manifest.RepositoryState;
import org.jgits3.manifest.VersionedManifest;
import org.jgits3.store.GetResult;
import org.jgits3.store.ObjectStore;

/**
 * The names of each repository, from one reading of all manifests of a store.
 *
 * <p>The catalog binds a repository id to one name at a time. In a restored store a repository may
 * have two names or none: the copy was taken during a rename, or one manifest was put back. Only a
 * reading of all manifests shows this, because a manifest knows of no other. The index stays valid
 * while only the catalog changes the store: {@link #holders} follows later renames.
 *
 * <p>Takes some 50 bytes for each name. Immutable once it is read.
 */
public final class NameIndex {
  private static final Comparator<RepositoryName> ORDER =
      Comparator.comparing(RepositoryName::value);

  /** Repository id in the bytes of a manifest, damaged digits included. */
  private static final Pattern REPOSITORY_ID =
      Pattern.compile("\"repositoryId\":\"(.{32})\"", Pattern.DOTALL);

  /** Digits of a repository id that damage may have changed. Two ids differ in about 30. */
  private static final int DAMAGED_DIGITS = 8;

  /** The half of a digest that is kept with the index of a name. */
  private static final long UPPER_HALF = ~0xffff_ffffL;

  private final ObjectStore store;
  private final NameTable names;
  private final Map<RepositoryName, Unreadable> unreadable = new TreeMap<>(ORDER);

  /**
   * Names that held a repository: the upper half of the digest of its id, and the index of the
   * name. Sorted. Ids with equal halves are told apart by reading.
   */
  private final long[] holding;

  /** Names that repositories were renamed to, by the manifests that they left. */
  private final Map<String, Set<RepositoryName>> arrivals = new HashMap<>();

  /** Ids of templates, deleted ones included: sweeps keep their objects for forks. */
  private final Set<String> templates = ConcurrentHashMap.newKeySet();

  /**
   * A manifest that is damaged, or of another name or a newer format.
   *
   * @param repositoryId the repository it is bound to, as far as its bytes tell; damaged digits
   *     included
   * @param why the failure to read it
   */
  private record Unreadable(Optional<String> repositoryId, ManifestException why) {
    static Unreadable of(byte[] bytes, ManifestException why) {
      Matcher found = REPOSITORY_ID.matcher(new String(bytes, ISO_8859_1));
      return new Unreadable(found.find() ? Optional.of(found.group(1)) : Optional.empty(), why);
    }

    /** Tests whether it may be bound to a repository. */
    boolean mayHold(String other) {
      return repositoryId.isEmpty()
          || IntStream.range(0, other.length())
                  .filter(i -> other.charAt(i) != repositoryId.get().charAt(i))
                  .count()
              <= DAMAGED_DIGITS;
    }
  }

  /**
   * State that bindings never lead to, but that a restored store may contain.
   *
   * @param key key of a manifest
   * @param problem one line
   */
  public record Contradiction(String key, String problem) {}

  private NameIndex(ObjectStore store, NameTable names) {
    this.store = store;
    this.names = names;
    this.holding = new long[names.size()];
  }

  /**
   * Reads all manifests: one GET for each name that was ever used, several at a time. Damaged ones
   * are remembered.
   *
   * @param store the store
   * @return the catalog
   * @throws IOException if the store does not answer
   */
  public static NameIndex read(ObjectStore store) throws IOException {
    return read(store, ParallelRequests.SIZE);
  }

  /**
   * As {@link #read(ObjectStore)}, with a number of manifests at a time.
   *
   * @param store the store
   * @param atOnce requests at a time; more than four have no effect
   * @return the catalog
   * @throws IOException if the store does not answer
   */
  public static NameIndex read(ObjectStore store, int atOnce) throws IOException {
    return read(store, NameTable.listed(store), i -> OptionalLong.empty(), atOnce);
  }

  /**
   * Reads the manifests of those listed names for which no pass has recorded what the listed
   * version holds.
   *
   * <p>A record has no departures. It needs none if it was read from the store before the listing
   * began: a repository that had left the name by then had arrived under another one, as the listed
   * version of that one shows.
   *
   * @param store the store
   * @param listed the names, with records
   * @return the catalog
   * @throws IOException if the store does not answer
   */
  static NameIndex read(ObjectStore store, Claims listed) throws IOException {
    return read(store, listed.table(), listed::holds, ParallelRequests.SIZE);
  }

  private static NameIndex read(
      ObjectStore store, NameTable names, IntFunction<OptionalLong> recorded, int atOnce)
      throws IOException {
    NameIndex index = new NameIndex(store, names);
    AtomicInteger next = new AtomicInteger();
    ParallelRequests.forEach(
        Collections.nCopies(atOnce, names),
        all -> {
          for (int i = next.getAndIncrement(); i < all.size(); i = next.getAndIncrement()) {
            OptionalLong known = recorded.apply(i);
            Optional<RepositoryName> name = index.name(i);
            long held =
                known.isPresent() || name.isEmpty() ? known.orElse(0) : index.read(name.get());
            index.holding[i] = (held & UPPER_HALF) | i;
          }
        });
    Arrays.sort(index.holding);
    return index;
  }

  private Optional<RepositoryName> name(int i) {
    return names.repository(i);
  }

  /** Reads what a name holds; 0 for nothing. */
  private long read(RepositoryName name) throws IOException {
    if (!(store.get(name.manifestKey(), Optional.empty()) instanceof GetResult.Found found)) {
      return 0;
    }
    try {
      String where = new ManifestFile(store, name).toString();
      Manifest manifest = ManifestCodec.decode(where, name, found.bytes());
      if (!manifest.left().isEmpty()) {
        noteArrivals(manifest.left());
      }
      if (manifest.isTemplate()) {
        templates.add(manifest.repositoryId());
      }
      return manifest.holdsRepository() ? Claims.digest(manifest.repositoryId()) : 0;
    } catch (ManifestException.Corrupt | ManifestException.Unsupported e) {
      noteUnreadable(name, Unreadable.of(found.bytes(), e));
      return 0;
    }
  }

  private synchronized void noteArrivals(List<Departure> left) {
    left.forEach(
        d ->
            arrivals
                .computeIfAbsent(d.repositoryId(), absent -> new LinkedHashSet<>())
                .add(new RepositoryName(d.to())));
  }

  private synchronized void noteUnreadable(RepositoryName name, Unreadable damaged) {
    unreadable.put(name, damaged);
  }

  /** Indexes of the names that held a repository, and perhaps of others. */
  IntStream holding(String repositoryId) {
    long first = Claims.digest(repositoryId) & UPPER_HALF;
    int at = Arrays.binarySearch(holding, first);
    return Arrays.stream(holding, at < 0 ? -at - 1 : at, holding.length)
        .takeWhile(each -> (each & UPPER_HALF) == first)
        .mapToInt(each -> (int) each);
  }

  /** Names to read for a repository: those that held it, and those it was renamed to. */
  private Set<RepositoryName> toAsk(String repositoryId) {
    Set<RepositoryName> ask = new LinkedHashSet<>();
    holding(repositoryId).forEach(i -> name(i).ifPresent(ask::add));
    ask.addAll(arrivals.getOrDefault(repositoryId, Set.of()));
    return ask;
  }

  /**
   * Finds the names that a repository has now. Reads their manifests again, and those of the names
   * it was renamed to since.
   *
   * <p>Misses none during renames: a repository that left a name is looked for under its new name,
   * which is read after the one it left. If there are several, they are read twice, because the
   * repository may have left the first one meanwhile.
   *
   * @param repositoryId a {@link Manifest#repositoryId}
   * @return names, usually one; none if the repository is deleted
   * @throws ManifestException.Corrupt if a manifest that may hold it is damaged
   * @throws ManifestException.Unsupported if a manifest that may hold it has a newer format
   * @throws IOException if the store does not answer
   */
  public SortedSet<RepositoryName> holders(String repositoryId) throws IOException {
    checkReadable(repositoryId);
    SortedSet<RepositoryName> holders = asked(repositoryId);
    SortedSet<RepositoryName> before = Collections.emptySortedSet();
    while (holders.size() > 1 && !holders.equals(before)) {
      before = holders;
      holders = asked(repositoryId);
    }
    return holders;
  }

  private SortedSet<RepositoryName> asked(String repositoryId) throws IOException {
    SortedSet<RepositoryName> holders = new TreeSet<>(ORDER);
    Map<RepositoryName, Long> seen = new HashMap<>();
    Queue<RepositoryName> toAsk = new ArrayDeque<>(toAsk(repositoryId));
    while (!toAsk.isEmpty()) {
      RepositoryName name = toAsk.remove();
      Optional<Manifest> found = now(name);
      if (found.isEmpty() || Long.valueOf(found.get().generation()).equals(seen.get(name))) {
        continue;
      }
      seen.put(name, found.get().generation());
      departure(found.get(), repositoryId).ifPresent(d -> toAsk.add(new RepositoryName(d.to())));
      if (!found.get().holdsRepository() || !found.get().repositoryId().equals(repositoryId)) {
        continue;
      }
      if (found.get().state() instanceof RepositoryState.Moving moving) {
        RepositoryName to = new RepositoryName(moving.to());
        toAsk.add(to);
        if (arrived(now(to), repositoryId, name, moving.reserved())) {
          continue; // the remains of an unfinished rename
        }
      }
      holders.add(name);
    }
    return holders;
  }

  private void checkReadable(String repositoryId) throws ManifestException {
    for (Unreadable damaged : unreadable.values()) {
      if (damaged.mayHold(repositoryId)) {
        throw damaged.why();
      }
    }
  }

  private Optional<Manifest> now(RepositoryName name) throws IOException {
    if (Thread.currentThread().isInterrupted()) {
      throw new InterruptedIOException("interrupted between the names of the store");
    }
    return new ManifestFile(store, name).read().map(VersionedManifest::manifest);
  }

  private static Optional<Departure> departure(Manifest from, String repositoryId) {
    return from.left().stream().filter(d -> d.repositoryId().equals(repositoryId)).findFirst();
  }

  /**
   * Tests whether a repository has arrived at a name: the manifest of the name is later than the
   * reservation, and does not reserve the name for that repository again.
   */
  private static boolean arrived(
      Optional<Manifest> target, String repositoryId, RepositoryName from, long reserved) {
    return target.isPresent()
        && target.get().generation() > reserved
        && !isReserved(target.get(), repositoryId, from);
  }

  private static boolean isReserved(Manifest target, String repositoryId, RepositoryName from) {
    return target.repositoryId().equals(repositoryId)
        && target.state() instanceof RepositoryState.Reserved reservation
        && reservation.from().equals(from.value());
  }

  /**
   * Finds contradictions between manifests: a repository with two names, one that was renamed to a
   * name that does not know of it, a fork without its template, or a manifest that cannot be read.
   * A restored store with none of these has one name for each repository that existed during the
   * whole copy, in whatever order the manifests were copied.
   *
   * @return the contradictions; empty if there are none
   * @throws IOException if the store does not answer
   */
  public List<Contradiction> contradictions() throws IOException {
    List<Contradiction> found = new ArrayList<>();
    unreadable.forEach(
        (name, damaged) ->
            found.add(new Contradiction(name.manifestKey(), damaged.why().getMessage())));
    if (!found.isEmpty()) {
      return found; // any of them may hold what seems to be missing
    }
    Map<RepositoryName, String> forks = new TreeMap<>(ORDER); // whose template was not read
    for (int i = 0; i < names.size(); i++) {
      Optional<RepositoryName> name = name(i);
      Optional<Manifest> manifest = name.isEmpty() ? Optional.empty() : now(name.get());
      if (manifest.isPresent()) {
        shared(name.get(), manifest.get(), found);
        unfinished(name.get(), manifest.get(), found);
        for (Departure departure : manifest.get().left()) {
          missing(name.get(), departure, found);
        }
        manifest
            .filter(Manifest::holdsRepository)
            .flatMap(Manifest::template)
            .map(Manifest.Template::repositoryId)
            .filter(id -> !templates.contains(id))
            .ifPresent(id -> forks.put(name.get(), id));
      }
    }
    if (!forks.isEmpty()) {
      withoutTemplate(forks, found);
    }
    return found;
  }

  private void shared(RepositoryName name, Manifest manifest, List<Contradiction> found)
      throws IOException {
    if (manifest.holdsRepository() && toAsk(manifest.repositoryId()).size() > 1) {
      SortedSet<RepositoryName> holders = holders(manifest.repositoryId());
      if (holders.size() > 1) {
        found.add(new Contradiction(name.manifestKey(), severalNames(holders)));
      }
    }
  }

  /** Reads all names once more: a template may be made, and forked, while they are listed. */
  private void withoutTemplate(Map<RepositoryName, String> forks, List<Contradiction> found)
      throws IOException {
    NameIndex later = read(store);
    for (Map.Entry<RepositoryName, String> fork : forks.entrySet()) {
      String id = fork.getValue();
      if (!later.templates.contains(id)) {
        later.checkReadable(id); // it may have been damaged since
        found.add(
            new Contradiction(
                fork.getKey().manifestKey(),
                "is a fork of the template "
                    + id
                    + ", of which there is no manifest; copy that, or detach the fork by gc "
                    + fork.getKey()
                    + " --detach"));
      }
    }
  }

  /**
   * One line about names that hold the same repository.
   *
   * @param holders the names
   * @return what is wrong, and what to do
   */
  public static String severalNames(SortedSet<RepositoryName> holders) {
    return "the names "
        + String.join(" and ", holders.stream().map(RepositoryName::value).toList())
        + " hold the same repository, as in a copy of the store taken during a rename;"
        + " delete the name that is not to stay";
  }

  private void unfinished(RepositoryName name, Manifest origin, List<Contradiction> found)
      throws IOException {
    if (origin.state() instanceof RepositoryState.Moving moving) {
      Optional<Manifest> target = now(new RepositoryName(moving.to()));
      if (!arrived(target, origin.repositoryId(), name, moving.reserved())
          && !target.map(t -> isReserved(t, origin.repositoryId(), name)).orElse(false)) {
        found.add(
            new Contradiction(
                name.manifestKey(),
                "is being renamed to "
                    + moving.to()
                    + ", whose manifest is from before that; copy the manifests again, or restore"
                    + " this one into a new repository"));
      }
    }
  }

  private void missing(RepositoryName name, Departure departure, List<Contradiction> found)
      throws IOException {
    RepositoryName to = new RepositoryName(departure.to());
    if (!arrived(now(to), departure.repositoryId(), name, departure.reserved())
        && holders(departure.repositoryId()).isEmpty()) {
      found.add(
          new Contradiction(
              to.manifestKey(),
              "lacks the repository that was renamed from "
                  + name
                  + " to "
                  + to
                  + ": it is from before that; copy this manifest again"));
    }
  }
}
