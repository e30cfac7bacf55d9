// SPDX-License-Identifier: Apache-2.0
package org.jgits3.simulation.world;

import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.WeakHashMap;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jgits3.internal.catalog.RepositoryCatalog;
import org.jgits3.internal.commit.ConditionalWrite;
import org.jgits3.internal.commit.ManifestChange;
import org.jgits3.internal.commit.ManifestCommitter;
import org.jgits3.internal.commit.ManifestFile;
import org.jgits3.internal.commit.Pacing;
import org.jgits3.internal.commit.Proposal;
import org.jgits3.internal.commit.StoredManifest;
import org.jgits3.internal.commit.Ticker;
import org.jgits3.internal.fork.Forks;
import org.jgits3.internal.function.IoConsumer;
import org.jgits3.internal.refs.table.RefTable;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.NamePointer;
import org.jgits3.manifest.Refs;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.manifest.RepositorySettings;
import org.jgits3.manifest.RepositoryState;
import org.jgits3.manifest.UnknownOutcomeException;
import org.jgits3.manifest.VersionedManifest;
import org.jgits3.store.GetResult;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.ObjectVersion;
import org.jgits3.store.Precondition;
import org.jgits3.store.PutOutcome;

/** Code that mutated code calls instead of what the library calls. */
@SuppressWarnings("unused") // called by mutated code
public final class Faults {
  private static final Map<Object, Object> REMEMBERED = new WeakHashMap<>();

  private Faults() {}

  /** Makes the same name each time. */
  public static String sameName(int bytes) {
    return "00".repeat(bytes);
  }

  /** Prunes writers, and does not record how far. */
  public static Object withoutPrunedTo(
      Object changed, long generation, Object state, SortedMap<String, Long> writers, long to) {
    Manifest manifest = (Manifest) changed;
    return manifest.committed(
        generation, (RepositoryState) state, writers, manifest.counters().prunedTo());
  }

  /** Delivers all verdicts before their write is made. */
  public static boolean deliverFirst(Object batch) throws Exception {
    call(batch, "deliver");
    return (Boolean) call(batch, "edited");
  }

  /** Delivers refusals before the write of their batch is made. */
  public static boolean refuseFirst(Object batch) throws Exception {
    for (Object verdict : (List<?>) field(batch, "verdicts")) {
      if (Boolean.FALSE.equals(call(call(verdict, "verdict"), "value"))) {
        call(verdict, "deliver");
      }
    }
    return (Boolean) call(batch, "edited");
  }

  /** Finds no refs that differ. */
  public static Set<String> noneDiffer(Object from, Object base) {
    return new HashSet<>();
  }

  /** Finds the refs that differ, without those that were folded. */
  public static Set<String> unfoldedDiffer(Object from, Object base) {
    Set<String> names = new HashSet<>(((Refs) base).overlay().keySet());
    names.removeAll(((Refs) from).overlay().keySet());
    return names;
  }

  /** Tests whether two sets of refs have the same base. */
  public static boolean sameBase(Object a, Object b) {
    return ((Refs) a).base().equals(((Refs) b).base());
  }

  /** Value of a ref in the base that a fold is laid on, or makes. */
  public static Optional<?> valueInBase(Object fold, String name) throws Exception {
    return (Boolean) call(fold, "isBase")
        ? (Optional<?>) call(fold, "value", name)
        : new RefTable(((RefTable) field(fold, "table")).level(0)).value(name);
  }

  /** Takes a fold whose outcome is unknown for one that was not listed. */
  public static Object foldGivesUp(Object committer, Object change) throws IOException {
    try {
      return ((ManifestCommitter) committer).commit((ManifestChange<?>) change);
    } catch (UnknownOutcomeException e) {
      return false;
    }
  }

  /** Removes all, and not only some. */
  public static boolean removeAll(List<?> from, Collection<?> some) {
    from.clear();
    return true;
  }

  /** Reads a manifest, and remembers it. */
  public static Object remember(Object committer) throws IOException {
    VersionedManifest read = ((ManifestCommitter) committer).validate();
    REMEMBERED.put(committer, read);
    return read;
  }

  /** The manifest that was remembered, with the boundary of the newest. */
  public static Optional<Object> remembered(Object committer) {
    VersionedManifest read = (VersionedManifest) REMEMBERED.get(committer);
    long boundary =
        ((ManifestCommitter) committer).cached().orElseThrow().manifest().sweepBoundary();
    return Optional.of(
        new VersionedManifest(read.manifest().withSweepBoundary(boundary), read.version()));
  }

  /** Lists no packs beside those of a change. */
  public static List<?> listedAlone(Object quarantine, boolean listsOthers) {
    return List.of();
  }

  /** Lists nothing. */
  public static List<?> nothing(Object manifest) {
    return List.of();
  }

  /** Finds that refs have moved only once. */
  public static boolean coversAfterOne(Object proven, Object base) throws Exception {
    boolean covers = (Boolean) call(proven, "covers", base);
    Thread me = Thread.currentThread();
    return covers || REMEMBERED.put(me, me) != null;
  }

  /** Commits a change for one epoch in whatever epoch the repository is. */
  public static Object commitInAnyEpoch(Object committer, Object change) throws IOException {
    return ((ManifestCommitter) committer)
        .<Boolean>commit(
            base -> {
              for (long epoch = 0; epoch <= base.epoch(); epoch++) {
                if (((ManifestChange<?>) change).propose(base.fenced(epoch))
                    instanceof Proposal.Edit<?> edit) {
                  return Proposal.edit(edit.next().fenced(base.epoch() + 1), true);
                }
              }
              return Proposal.noEdit(false);
            });
  }

  /** Text that tells to which repository a pointer leads. */
  public static String target(Object pointer) {
    NamePointer known = (NamePointer) pointer;
    return known.target().map(NamePointer.Target::repositoryId).orElse(known.nonce());
  }

  /** Makes a write in place of whatever is there. */
  public static Object replaceAny(Object write, Object ticker, Object pacing, long deadline)
      throws Exception {
    ObjectStore store = (ObjectStore) field(write, "store");
    String key = (String) field(write, "key");
    byte[] body = (byte[]) field(write, "body");
    while (true) {
      Precondition now =
          store.get(key, Optional.empty()) instanceof GetResult.Found found
              ? Precondition.matches(found.version())
              : Precondition.absent();
      PutOutcome outcome =
          new ConditionalWrite(store, key, body, now)
              .decide((Ticker) ticker, (Pacing) pacing, deadline);
      if (!(outcome instanceof PutOutcome.Lost)) {
        return outcome;
      }
    }
  }

  /** Reads a manifest; a missing one as if it had been fenced. */
  public static Optional<?> readOrFenced(Object store, String id) throws IOException {
    Optional<VersionedManifest> found = ManifestFile.read((ObjectStore) store, id);
    Manifest fenced =
        Manifest.first(id, new RepositoryState.Deleted(0), 1, RepositorySettings.NONE, Refs.NONE);
    return Optional.of(found.orElse(new VersionedManifest(fenced, new ObjectVersion("none"))));
  }

  /** Keeps whatever there is. */
  public static Optional<?> unfiltered(Optional<?> value, Predicate<?> condition) {
    return value;
  }

  /** Deletes a pointer. */
  public static Object deletePointer(Object write) throws Exception {
    ((ObjectStore) field(write, "store")).delete(List.of((String) field(write, "key")));
    return new PutOutcome.Lost();
  }

  /** Reads the template of a fork before the fork is created. */
  public static Object createAfterLook(Object bind, Function<String, Manifest> first)
      throws Exception {
    String template = first.apply("0".repeat(32)).template().orElseThrow().repositoryId();
    ObjectStore store = (ObjectStore) field(bind, "store");
    REMEMBERED.put(Thread.currentThread(), ManifestFile.read(store, template));
    return call(bind, "create", first);
  }

  /** The manifest of the template as it was read before. */
  public static Optional<?> templateBefore(Object file, Object known) {
    return (Optional<?>) REMEMBERED.get(Thread.currentThread());
  }

  /** The manifest of the repository that has the name of the template now. */
  public static Optional<?> templateByName(Object file, Object known) throws IOException {
    Optional<RepositoryName> name = ((VersionedManifest) known).manifest().name();
    return name.isEmpty() ? name : byName((ObjectStore) field(file, "store"), name.get());
  }

  private static Optional<VersionedManifest> byName(ObjectStore store, RepositoryName name)
      throws IOException {
    return StoredManifest.file(store, name)
        .read()
        .filter(found -> found.manifest().name().equals(Optional.of(name)));
  }

  /** Reads the manifests of all names, one after the other. */
  @SuppressWarnings("unchecked")
  public static void readAllByName(Object store, boolean tombstones, Object each)
      throws IOException {
    List<RepositoryName> names = new ArrayList<>();
    new RepositoryCatalog((ObjectStore) store, ManifestCommitter.DEADLINE).list(names::add);
    for (RepositoryName name : names) {
      Optional<VersionedManifest> found = byName((ObjectStore) store, name);
      if (found.isPresent()) {
        ((IoConsumer<Manifest>) each).accept(found.get().manifest());
      }
    }
  }

  /** Commits, and takes a refusal for a success. */
  public static Object commitAnyhow(Object committer, Object change) throws IOException {
    try {
      ((ManifestCommitter) committer).commit((ManifestChange<?>) change);
    } catch (ManifestException.Gone e) {
      return true;
    }
    return true;
  }

  /** The tombstone that a repository would have if it was deleted long ago. */
  public static Optional<?> tombstoneOf(Object store, String id) throws IOException {
    return ManifestFile.read((ObjectStore) store, id)
        .map(read -> new VersionedManifest(read.manifest().deleted(1), read.version()));
  }

  /** Looks for the forks of a repository, and then reads its manifest. */
  public static Optional<?> readAfterForks(Object store, String id) throws IOException {
    REMEMBERED.put(Thread.currentThread(), Forks.of((ObjectStore) store, id));
    return ManifestFile.read((ObjectStore) store, id);
  }

  /** The forks that were found before. */
  public static SortedSet<?> forksBefore(Object store, String id, long since) {
    return (SortedSet<?>) REMEMBERED.get(Thread.currentThread());
  }

  /** Deletes a repository, also if it has another name by now. */
  public static Object deleteByAnyName(Object committer, Object change) throws Exception {
    try {
      return ((ManifestCommitter) committer).commit((ManifestChange<?>) change);
    } catch (ManifestException.Gone e) {
      Object file = field(committer, "file");
      ObjectStore store = (ObjectStore) field(file, "store");
      String id = (String) field(file, "repositoryId");
      Optional<RepositoryName> name =
          ManifestFile.read(store, id).flatMap(found -> found.manifest().name());
      if (name.isEmpty()) {
        throw e;
      }
      return new ManifestCommitter(new ManifestFile(store, id, name), ManifestCommitter.DEADLINE)
          .commit((ManifestChange<?>) change);
    }
  }

  /** Takes a name for one that is in use. */
  public static void taken(Object bind, long nanos) throws IOException {
    throw new ManifestException.Exists("under way");
  }

  private static Object field(Object of, String name) {
    try {
      Field found = of.getClass().getDeclaredField(name);
      found.setAccessible(true);
      return found.get(of);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("the fault does not fit the code", e);
    }
  }

  /** Calls a method that is hidden. */
  private static Object call(Object on, String name, Object... arguments) throws Exception {
    for (Method method : on.getClass().getDeclaredMethods()) {
      if (method.getName().equals(name) && method.getParameterCount() == arguments.length) {
        method.setAccessible(true);
        try {
          return method.invoke(on, arguments);
        } catch (InvocationTargetException e) {
          if (e.getCause() instanceof Error error) {
            throw error;
          }
          throw (Exception) e.getCause();
        }
      }
    }
    throw new NoSuchMethodException(name);
  }
}
