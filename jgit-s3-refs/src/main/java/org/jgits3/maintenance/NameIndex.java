// SPDX-License-Identifier: Apache-2.0
package org.jgits3.maintenance;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jgits3.manifest.Departure;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ManifestCodec;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.manifest.RepositoryState;
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
 * <p>Immutable.
 */
public final class NameIndex {
  /** Manifests that are read at a time. */
  private static final int AT_ONCE = 8;

  private static final Comparator<RepositoryName> ORDER =
      Comparator.comparing(RepositoryName::value);

  /** Repository id in the bytes of a manifest, damaged digits included. */
  private static final Pattern REPOSITORY_ID =
      Pattern.compile("\"repositoryId\":\"(.{32})\"", Pattern.DOTALL);

  /** Digits of a repository id that damage may have changed. Two ids differ in about 30. */
  private static final int DAMAGED_DIGITS = 8;

  private final ObjectStore store;
  private final Map<RepositoryName, Binding> catalog;
  private final Map<RepositoryName, Unreadable> unreadable;

  /** Names to read for each repository id: those that held it, and those it was renamed to. */
  private final Map<String, Set<RepositoryName>> byRepositoryId = new HashMap<>();

  /** The part of a manifest that matters here. */
  private record Binding(
      String repositoryId, RepositoryState state, long generation, List<Departure> left) {
    static Binding of(Manifest m) {
      return new Binding(m.repositoryId(), m.state(), m.generation(), m.left());
    }

    boolean holds(String other) {
      return repositoryId.equals(other)
          && (state instanceof RepositoryState.Active || state instanceof RepositoryState.Moving);
    }
  }

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
   * Something that bindings never lead to, and a restored store may hold.
   *
   * @param key key of a manifest
   * @param problem one line
   */
  public record Contradiction(String key, String problem) {}

  private NameIndex(
      ObjectStore store,
      Map<RepositoryName, Binding> catalog,
      Map<RepositoryName, Unreadable> unreadable) {
    this.store = store;
    this.catalog = catalog;
    this.unreadable = unreadable;
    catalog.forEach(
        (name, binding) -> {
          if (binding.holds(binding.repositoryId())) {
            ask(binding.repositoryId(), name);
          }
          binding.left().forEach(d -> ask(d.repositoryId(), new RepositoryName(d.to())));
        });
  }

  private void ask(String repositoryId, RepositoryName name) {
    byRepositoryId.computeIfAbsent(repositoryId, absent -> new LinkedHashSet<>()).add(name);
  }

  /**
   * Reads all manifests: one GET for each name that was ever used, several at a time. Those that
   * are damaged are kept in mind.
   *
   * @param store the store
   * @return the catalog
   * @throws IOException if the store does not answer
   */
  public static NameIndex read(ObjectStore store) throws IOException {
    return read(store, AT_ONCE);
  }

  /**
   * As {@link #read(ObjectStore)}, with a number of manifests at a time.
   *
   * @param store the store
   * @param atOnce requests at a time
   * @return the catalog
   * @throws IOException if the store does not answer
   */
  public static NameIndex read(ObjectStore store, int atOnce) throws IOException {
    Queue<RepositoryName> names = new ConcurrentLinkedQueue<>();
    store.list(
        RepositoryName.PREFIX,
        object -> RepositoryName.fromManifestKey(object.key()).ifPresent(names::add));
    Map<RepositoryName, Binding> catalog = Collections.synchronizedMap(new TreeMap<>(ORDER));
    Map<RepositoryName, Unreadable> unreadable = Collections.synchronizedMap(new TreeMap<>(ORDER));
    Callable<Void> reader =
        () -> {
          RepositoryName name;
          while ((name = names.poll()) != null) {
            readInto(store, name, catalog, unreadable);
          }
          return null;
        };
    inParallel(Collections.nCopies(Math.min(atOnce, names.size()), reader));
    return new NameIndex(store, catalog, unreadable);
  }

  private static void readInto(
      ObjectStore store,
      RepositoryName name,
      Map<RepositoryName, Binding> catalog,
      Map<RepositoryName, Unreadable> unreadable)
      throws IOException {
    if (store.get(name.manifestKey(), Optional.empty()) instanceof GetResult.Found found) {
      try {
        catalog.put(name, Binding.of(decode(store, name, found.bytes())));
      } catch (ManifestException.Corrupt | ManifestException.Unsupported e) {
        unreadable.put(name, Unreadable.of(found.bytes(), e));
      }
    }
  }

  private static Manifest decode(ObjectStore store, RepositoryName name, byte[] bytes)
      throws ManifestException {
    String where = "manifest " + store.location() + "/" + name.manifestKey();
    return ManifestCodec.decode(where, name, bytes);
  }

  private static void inParallel(List<Callable<Void>> readers) throws IOException {
    if (readers.isEmpty()) {
      return;
    }
    ExecutorService threads = Executors.newFixedThreadPool(readers.size());
    try {
      for (Future<Void> reader : threads.invokeAll(readers)) {
        reader.get();
      }
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IOException failure) {
        throw failure;
      }
      throw new IOException("the manifests cannot be read: " + e.getCause(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while manifests were read");
    } finally {
      threads.shutdownNow();
    }
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
    Queue<RepositoryName> toAsk =
        new ArrayDeque<>(byRepositoryId.getOrDefault(repositoryId, Set.of()));
    while (!toAsk.isEmpty()) {
      RepositoryName name = toAsk.remove();
      Optional<Binding> found = now(name);
      if (found.isEmpty() || Long.valueOf(found.get().generation()).equals(seen.get(name))) {
        continue;
      }
      seen.put(name, found.get().generation());
      departure(found.get(), repositoryId).ifPresent(d -> toAsk.add(new RepositoryName(d.to())));
      if (!found.get().holds(repositoryId)) {
        continue;
      }
      if (found.get().state() instanceof RepositoryState.Moving moving) {
        RepositoryName to = new RepositoryName(moving.to());
        toAsk.add(to);
        if (arrived(now(to), repositoryId, name, moving.reserved())) {
          continue; // what is left of a rename that was not finished
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

  private Optional<Binding> now(RepositoryName name) throws IOException {
    return store.get(name.manifestKey(), Optional.empty()) instanceof GetResult.Found found
        ? Optional.of(Binding.of(decode(store, name, found.bytes())))
        : Optional.empty();
  }

  private static Optional<Departure> departure(Binding from, String repositoryId) {
    return from.left().stream().filter(d -> d.repositoryId().equals(repositoryId)).findFirst();
  }

  /** Tests whether a repository has come to a name: its manifest is later than the reservation. */
  private static boolean arrived(
      Optional<Binding> target, String repositoryId, RepositoryName from, long reserved) {
    return target.isPresent()
        && target.get().generation() > reserved
        && !isReserved(target.get(), repositoryId, from);
  }

  private static boolean isReserved(Binding target, String repositoryId, RepositoryName from) {
    return target.repositoryId().equals(repositoryId)
        && target.state() instanceof RepositoryState.Reserved reservation
        && reservation.from().equals(from.value());
  }

  /**
   * Finds contradictions between manifests: a repository with two names, one that was renamed to a
   * name that does not know of it, or a manifest that cannot be read. A restored store with none of
   * these has one name for each repository that existed during the whole copy, in whatever order
   * the manifests were copied.
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
    for (String repositoryId : new TreeSet<>(byRepositoryId.keySet())) {
      severalNames(repositoryId, found);
    }
    for (RepositoryName name : catalog.keySet()) {
      Optional<Binding> binding = now(name);
      if (binding.isPresent()) {
        unfinished(name, binding.get(), found);
        for (Departure departure : binding.get().left()) {
          missing(name, departure, found);
        }
      }
    }
    return found;
  }

  private void severalNames(String repositoryId, List<Contradiction> found) throws IOException {
    Set<RepositoryName> asked = byRepositoryId.get(repositoryId);
    if (asked.size() < 2) {
      return;
    }
    SortedSet<RepositoryName> holders = holders(repositoryId);
    if (holders.size() > 1) {
      for (RepositoryName name : holders) {
        found.add(new Contradiction(name.manifestKey(), severalNames(holders)));
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

  private void unfinished(RepositoryName name, Binding binding, List<Contradiction> found)
      throws IOException {
    if (binding.state() instanceof RepositoryState.Moving moving) {
      Optional<Binding> target = now(new RepositoryName(moving.to()));
      if (!arrived(target, binding.repositoryId(), name, moving.reserved())
          && !target.map(t -> isReserved(t, binding.repositoryId(), name)).orElse(false)) {
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
