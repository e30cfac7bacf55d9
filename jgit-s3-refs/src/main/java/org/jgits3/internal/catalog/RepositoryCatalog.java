// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.catalog;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jgits3.internal.commit.CommitPolicy;
import org.jgits3.internal.commit.DecidedWrites;
import org.jgits3.internal.commit.ManifestFile;
import org.jgits3.internal.commit.Pacing;
import org.jgits3.internal.commit.Ticker;
import org.jgits3.internal.function.IoConsumer;
import org.jgits3.manifest.Departure;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ManifestCodec;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.manifest.Refs;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.manifest.RepositorySettings;
import org.jgits3.manifest.RepositoryState;
import org.jgits3.manifest.UnknownOutcomeException;
import org.jgits3.manifest.VersionedManifest;
import org.jgits3.store.ObjectStore;

/**
 * Creates, finds, lists, renames and deletes repositories: what a name is bound to.
 *
 * <p>No manifest is ever removed from the store: a tombstone takes its place, because a late
 * duplicate of the write that created it would otherwise bring it back. A name that is used again
 * continues the generation of its tombstone, under a fresh repository id.
 *
 * <p>Safe for use by many threads and processes.
 */
public final class RepositoryCatalog {
  private static final int RENAME_BYTES = 10;
  private static final String IMPORTING = ".importing";
  private static final int IMPORT_BYTES = 6;

  private final ObjectStore store;
  private final CommitPolicy policy;
  private final Ticker ticker;
  private final RandomGenerator.SplittableGenerator random;

  /**
   * The bindings of one store.
   *
   * @param store where the manifests are
   * @param policy how long to try
   */
  public RepositoryCatalog(ObjectStore store, CommitPolicy policy) {
    this(store, policy, Ticker.SYSTEM, new SplittableRandom());
  }

  /** Creates a catalog with the clock and the randomness of a test. */
  public RepositoryCatalog(
      ObjectStore store,
      CommitPolicy policy,
      Ticker ticker,
      RandomGenerator.SplittableGenerator random) {
    this.store = store;
    this.policy = policy;
    this.ticker = ticker;
    this.random = random;
  }

  /**
   * Creates a repository under a name that stands for none; it may have a tombstone.
   *
   * @param name its name
   * @param settings configuration to begin with
   * @param refs refs to begin with, {@code HEAD} among the symbolic ones
   * @return its first manifest, or a later one if another process has changed it already
   * @throws ManifestException.Exists if there is one already, or a rename to the name has begun
   * @throws ManifestException.Gone if another process deleted it as soon as it was created
   * @throws UnknownOutcomeException if the deadline passed first, or others have used the name so
   *     often meanwhile that nothing tells whether it was created
   * @throws IOException if the store does not answer or refuses
   */
  public VersionedManifest create(RepositoryName name, RepositorySettings settings, Refs refs)
      throws IOException {
    return create(name, RepositoryState.ACTIVE, settings, refs);
  }

  /**
   * Creates a fork of a template under a name that stands for no repository: one write. The caller
   * must check the template afterwards, and delete the fork if the template was deleted.
   *
   * @param name its name
   * @param template manifest of the template
   * @return its first manifest, or a later one if another process has changed it already
   * @throws IOException as {@link #create}
   */
  public VersionedManifest fork(RepositoryName name, Manifest template) throws IOException {
    new ManifestFile(store, name).checkWritable(template);
    return create(
        name,
        (repositoryId, floor) ->
            template.fork(repositoryId, Math.max(floor, template.generation()) + 1));
  }

  /** Makes the first manifest of a repository. */
  @FunctionalInterface
  private interface First {
    /**
     * Makes it.
     *
     * @param repositoryId id of the repository
     * @param floor generation of the manifest that it replaces
     */
    Manifest of(String repositoryId, long floor);
  }

  /**
   * Creates a repository for an import to fill.
   *
   * @param target name that it gets when it is complete
   * @param settings configuration to begin with
   * @param refs refs to begin with, {@code HEAD} among the symbolic ones
   * @return its name until then, which no other import has
   * @throws IllegalArgumentException if the target is so long that there is no such name
   * @throws IOException as {@link #create}
   */
  public RepositoryName createImport(RepositoryName target, RepositorySettings settings, Refs refs)
      throws IOException {
    RepositoryName name =
        new RepositoryName(importPrefix(target) + ObjectNames.random(IMPORT_BYTES));
    create(name, new RepositoryState.Active(Optional.of(target.value())), settings, refs);
    return name;
  }

  /**
   * Unfinished repositories of imports that are running or were killed, and those that are being
   * renamed to their target. Costs one listing, and a GET for each.
   *
   * @param target name that the repository is to get
   * @return their manifests, by name
   * @throws IOException if the store does not answer or refuses
   */
  public Map<RepositoryName, Manifest> imports(RepositoryName target) throws IOException {
    List<RepositoryName> found = new ArrayList<>();
    listUnder(target.directoryKey(IMPORTING), found::add);
    Map<RepositoryName, Manifest> imports = new HashMap<>();
    for (RepositoryName name : found) {
      read(name)
          .map(VersionedManifest::manifest)
          .filter(manifest -> isFor(manifest.state(), target))
          .ifPresent(manifest -> imports.put(name, manifest));
    }
    return imports;
  }

  private static boolean isFor(RepositoryState state, RepositoryName target) {
    return isImport(state, target)
        || (state instanceof RepositoryState.Moving moving && moving.to().equals(target.value()));
  }

  private static boolean isImport(RepositoryState state, RepositoryName target) {
    return state instanceof RepositoryState.Active active
        && active.importOf().filter(target.value()::equals).isPresent();
  }

  /**
   * Prefix of the names under which imports make a repository.
   *
   * @param target name that the repository is to get
   * @return the prefix, which ends in a slash
   */
  public static String importPrefix(RepositoryName target) {
    return target.value() + IMPORTING + '/';
  }

  private VersionedManifest create(
      RepositoryName name, RepositoryState state, RepositorySettings settings, Refs refs)
      throws IOException {
    return create(name, (id, floor) -> Manifest.blank(id, state, floor + 1, floor, settings, refs));
  }

  private VersionedManifest create(RepositoryName name, First made) throws IOException {
    ManifestFile file = new ManifestFile(store, name);
    DecidedWrites writes = writes(file);
    String repositoryId = ObjectNames.random(16);
    List<String> notes = new ArrayList<>();
    Optional<VersionedManifest> before = Optional.empty();
    while (true) {
      Manifest first = made.of(repositoryId, generation(before)).withLeft(left(before));
      former(before).ifPresent(former -> notes.add(ObjectNames.formerKey(repositoryId, former)));
      noteFormer(repositoryId, before);
      DecidedWrites.Result result = writes.write(before, first);
      if (result.made() || isRepository(result.newest(), repositoryId)) {
        return created(file, repositoryId, result.newest());
      }
      try {
        checkFree(name, file, result.newest());
      } catch (IOException e) {
        delete(notes, e);
        throw e;
      }
      before = result.newest();
    }
  }

  /** Deletes the notes of a repository that was not created; no sweep would find them. */
  private void delete(List<String> notes, IOException failure) {
    try {
      if (!notes.isEmpty()) {
        store.delete(notes);
      }
    } catch (IOException e) {
      failure.addSuppressed(e);
    }
  }

  /**
   * Notes the deleted repository whose tombstone is to be replaced, so that a sweep still finds its
   * objects. A deleted repository never comes back, so the note is true whatever becomes of the new
   * binding.
   */
  private void noteFormer(String repositoryId, Optional<VersionedManifest> before)
      throws IOException {
    Optional<String> former = former(before);
    if (former.isPresent()) {
      byte[] body = before.get().manifest().nonce().getBytes(US_ASCII); // identifies the deletion
      store.put(ObjectNames.formerKey(repositoryId, former.get()), body, 0, body.length);
    }
  }

  private static Optional<String> former(Optional<VersionedManifest> before) {
    return before
        .map(VersionedManifest::manifest)
        .filter(manifest -> manifest.state() instanceof RepositoryState.Deleted)
        .map(Manifest::repositoryId);
  }

  private static VersionedManifest created(
      ManifestFile file, String repositoryId, Optional<VersionedManifest> newest)
      throws ManifestException {
    RepositoryState state = newest.map(found -> found.manifest().state()).orElse(null);
    if (!isRepository(newest, repositoryId) || !(state instanceof RepositoryState.Active)) {
      throw file.gone(Optional.ofNullable(state));
    }
    return newest.get();
  }

  private void checkFree(RepositoryName name, ManifestFile file, Optional<VersionedManifest> found)
      throws IOException {
    if (found.isEmpty()) {
      return;
    }
    Manifest manifest = found.get().manifest();
    if (manifest.holdsRepository()) {
      throw new ManifestException.Exists(
          file + ": there is a repository " + name + " already; choose another name");
    }
    if (manifest.state() instanceof RepositoryState.Reserved reserved
        && isLive(name, manifest, reserved)) {
      throw new ManifestException.Exists(file.gone(Optional.of(reserved)).getMessage());
    }
    checkNotOfTemplate(name, Optional.of(manifest));
    file.checkWritable(manifest);
  }

  /**
   * Refuses the name of a deleted template, which is not used again.
   *
   * @param name the name
   * @param found its manifest
   * @throws ManifestException.Exists if it was that of a template
   */
  public void checkNotOfTemplate(RepositoryName name, Optional<Manifest> found)
      throws ManifestException {
    if (found.isPresent() && found.get().isTemplate() && !found.get().holdsRepository()) {
      throw new ManifestException.Exists(
          new ManifestFile(store, name)
              + ": was the name of a template that was deleted, of whose objects forks may be made;"
              + " choose another name");
    }
  }

  /**
   * Tests whether a name is reserved for a repository that can no longer be renamed to it, because
   * it was deleted or renamed to another name. Such a name is free. Costs one GET, or two.
   *
   * @param name name to look up
   * @return true if so; false if it is not reserved, or the rename can still be finished
   * @throws IOException if a manifest cannot be read
   */
  public boolean isAbandoned(RepositoryName name) throws IOException {
    Optional<VersionedManifest> found = read(name);
    return found.isPresent()
        && found.get().manifest().state() instanceof RepositoryState.Reserved reserved
        && !isLive(name, found.get().manifest(), reserved);
  }

  /** Tests whether the rename that reserved a name can still be finished. */
  private boolean isLive(
      RepositoryName name, Manifest reservation, RepositoryState.Reserved reserved)
      throws IOException {
    Optional<VersionedManifest> origin = read(new RepositoryName(reserved.from()));
    if (!isRepository(origin, reservation.repositoryId())) {
      return false;
    }
    RepositoryState state = origin.get().manifest().state();
    return state instanceof RepositoryState.Active
        || (state instanceof RepositoryState.Moving moving && isFor(reserved, moving, name));
  }

  private static boolean isFor(
      RepositoryState.Reserved reserved, RepositoryState.Moving moving, RepositoryName target) {
    return moving.to().equals(target.value()) && moving.rename().equals(reserved.rename());
  }

  /**
   * Reads the manifest of a name, tombstones included. Costs one GET.
   *
   * @param name name to look up
   * @return its manifest; empty if the name was never used
   * @throws IOException if the manifest cannot be read
   */
  public Optional<VersionedManifest> read(RepositoryName name) throws IOException {
    return new ManifestFile(store, name).read();
  }

  /**
   * Lists the names of repositories without reading their manifests. One that is being renamed may
   * be listed under both names.
   *
   * @param each called for every name, in no particular order
   * @throws IOException if the store does not answer or refuses
   */
  public void list(Consumer<RepositoryName> each) throws IOException {
    listUnder(RepositoryName.PREFIX, each);
  }

  /**
   * Lists the names of repositories that begin with a text.
   *
   * @param start the text; the listing is that of the groups before its last slash
   * @param each called for every such name, in no particular order
   * @throws IOException if the store does not answer or refuses
   */
  public void list(String start, Consumer<RepositoryName> each) throws IOException {
    int slash = start.lastIndexOf('/');
    String groups =
        slash < 0
            ? RepositoryName.PREFIX
            : new RepositoryName(start.substring(0, slash)).directoryKey("");
    listUnder(
        groups,
        name -> {
          if (name.value().startsWith(start)) {
            each.accept(name);
          }
        });
  }

  private void listUnder(String prefix, Consumer<RepositoryName> each) throws IOException {
    store.list(
        prefix,
        object -> {
          if (object.size() >= ManifestCodec.MIN_REPOSITORY_BYTES) {
            RepositoryName.fromManifestKey(object.key()).ifPresent(each);
          }
        });
  }

  /**
   * Deletes a repository: turns its manifest into a tombstone. Its objects are swept later.
   *
   * @param name its name
   * @return id of the deleted repository, a {@link Manifest#repositoryId}
   * @throws ManifestException.Gone if there is no such repository, or it is being renamed
   * @throws UnknownOutcomeException if the deadline passed first
   * @throws IOException if the store does not answer or refuses
   */
  public String delete(RepositoryName name) throws IOException {
    return delete(name, any -> {});
  }

  /**
   * Deletes a repository, unless a check fails.
   *
   * @param name its name
   * @param check called with each manifest that the tombstone is to replace, and first before the
   *     deadline begins; throws to refuse
   * @return id of the deleted repository, a {@link Manifest#repositoryId}
   * @throws IOException as {@link #delete(RepositoryName)}, or thrown by the check
   */
  public String delete(RepositoryName name, IoConsumer<Manifest> check) throws IOException {
    ManifestFile file = new ManifestFile(store, name);
    VersionedManifest before = active(file, file.read());
    check.accept(before.manifest());
    DecidedWrites writes = writes(file);
    while (true) {
      Manifest tombstone = tombstone(before.manifest(), RepositoryState.DELETED);
      DecidedWrites.Result result = writes.write(Optional.of(before), tombstone);
      if (result.made()) {
        return tombstone.repositoryId();
      }
      Optional<VersionedManifest> found = result.newest();
      if (!isRepository(found, tombstone.repositoryId())) {
        throw file.gone(found.map(other -> other.manifest().state()));
      }
      before = active(file, found);
      check.accept(before.manifest());
    }
  }

  /**
   * Deletes the unfinished repository of an import. An import that is still running then fails,
   * with a message that says so.
   *
   * @param name its name, one of {@link #imports}
   * @param target name that it was to get
   * @return id of the deleted repository, a {@link Manifest#repositoryId}
   * @throws ManifestException.Gone if there is no such repository, or no import makes it any more
   * @throws IOException as {@link #delete}
   */
  public String deleteImport(RepositoryName name, RepositoryName target) throws IOException {
    return delete(
        name,
        found -> {
          if (!isImport(found.state(), target)) {
            throw new ManifestFile(store, name).gone(Optional.of(found.state()));
          }
        });
  }

  /**
   * Renames a repository, or finishes an interrupted rename. Reserves the new name, marks the old
   * manifest as moving, which fences every writer, binds the new name to the same objects, and
   * leaves a tombstone that names it. The repository cannot be read between the second step and the
   * third. Repeating the rename finishes it, whichever step was interrupted.
   *
   * @param from its name
   * @param to name it will have
   * @return id of the repository that has the new name, a {@link Manifest#repositoryId}
   * @throws ManifestException.Gone if there is no repository {@code from}
   * @throws ManifestException.Exists if there is one called {@code to}
   * @throws ManifestException if a rename to yet another name has begun
   * @throws UnknownOutcomeException if the deadline passed first, or others have changed the name
   *     so often meanwhile that nothing tells what came first; repeating the rename finishes it
   * @throws IOException if the store does not answer or refuses
   */
  public String rename(RepositoryName from, RepositoryName to) throws IOException {
    ManifestFile source = new ManifestFile(store, from);
    DecidedWrites writes = writes(source);
    Optional<VersionedManifest> origin = source.read();
    Optional<String> repositoryId = origin.map(found -> found.manifest().repositoryId());
    boolean begun = false;
    while (true) {
      RepositoryState state = origin.map(found -> found.manifest().state()).orElse(null);
      if (begun && hasLeft(origin, repositoryId.get(), to)) {
        return repositoryId.get(); // another process has finished it
      } else if (repositoryId.isEmpty() || !isRepository(origin, repositoryId.get())) {
        throw source.gone(Optional.ofNullable(state));
      } else if (state instanceof RepositoryState.Active) {
        try {
          if (begin(writes, from, to, origin.get())) {
            return repositoryId.get();
          }
        } catch (ManifestException.Exists taken) {
          if (isNewest(source, origin.get())) {
            throw taken;
          } // else another process goes on with the rename, or has finished it
        }
      } else if (state instanceof RepositoryState.Moving moving) {
        checkTarget(source, moving, to);
        finish(writes, from, to, origin.get());
        return repositoryId.get(); // bound once, perhaps renamed again since
      } else if (state instanceof RepositoryState.Moved moved
          && moved.to().equals(to.value())
          && isRepository(read(to), repositoryId.get())) {
        return repositoryId.get();
      } else {
        throw source.gone(Optional.ofNullable(state));
      }
      begun = true; // the name had the repository, so that it has not left it before
      origin = source.read();
    }
  }

  private static boolean isNewest(ManifestFile file, VersionedManifest known) throws IOException {
    return file.read()
        .filter(found -> found.manifest().nonce().equals(known.manifest().nonce()))
        .isPresent();
  }

  private static void checkTarget(
      ManifestFile source, RepositoryState.Moving moving, RepositoryName to)
      throws ManifestException {
    if (!moving.to().equals(to.value())) {
      throw new ManifestException(source.gone(Optional.of(moving)).getMessage(), null);
    }
  }

  /**
   * Reserves the new name, fences the writers of the old one, and finishes the rename. An existing
   * reservation is written anew, so that a process which took it for abandoned can no longer
   * replace it. It stays that of the same rename, because another process may have fenced the
   * writers for it.
   *
   * @return whether the repository was renamed; false if another process was faster with any write
   */
  private boolean begin(
      DecidedWrites writes, RepositoryName from, RepositoryName to, VersionedManifest origin)
      throws IOException {
    Manifest repository = origin.manifest();
    new ManifestFile(store, from).checkWritable(repository);
    ManifestFile target = new ManifestFile(store, to);
    Optional<VersionedManifest> before = target.read();
    Optional<RepositoryState.Reserved> ours = reservation(before, repository, from);
    if (ours.isEmpty()) {
      checkFree(to, target, before);
    }
    noteFormer(repository.repositoryId(), before);
    String rename = ours.isPresent() ? ours.get().rename() : ObjectNames.random(RENAME_BYTES);
    Manifest reservation =
        Manifest.blank(
                repository.repositoryId(),
                new RepositoryState.Reserved(from.value(), rename),
                generation(before) + 1,
                generation(before),
                RepositorySettings.NONE,
                Refs.NONE)
            .withLeft(left(before));
    if (!writes.on(target).write(before, reservation).made()) {
      return false;
    }
    RepositoryState.Moving mark =
        new RepositoryState.Moving(to.value(), rename, reservation.generation());
    Manifest moving = next(repository, repository.generation() + 1, mark);
    DecidedWrites.Result marked = writes.write(Optional.of(origin), moving);
    if (marked.made() && marked.newest().get().manifest().state().equals(mark)) {
      finish(writes, from, to, marked.newest().get());
    } // else another process has finished it
    return marked.made();
  }

  /** Returns the reservation of a name for a repository, if the name is reserved for it. */
  private static Optional<RepositoryState.Reserved> reservation(
      Optional<VersionedManifest> found, Manifest repository, RepositoryName from) {
    return isRepository(found, repository.repositoryId())
            && found.get().manifest().state() instanceof RepositoryState.Reserved reserved
            && reserved.from().equals(from.value())
        ? Optional.of(reserved)
        : Optional.empty();
  }

  /**
   * Binds the new name, unless that was done before, then leaves the tombstone.
   *
   * <p>From the mark of the old manifest on, only processes that perform this rename replace the
   * reservation: late ones by the same reservation, then one by the binding. No later reservation
   * is mistaken for it. So if the name has any later manifest, the repository has arrived, and may
   * have left again. An earlier manifest comes from a copy of the store that was taken during the
   * rename.
   */
  private void finish(
      DecidedWrites writes, RepositoryName from, RepositoryName to, VersionedManifest origin)
      throws IOException {
    Manifest moving = origin.manifest();
    ManifestFile target = new ManifestFile(store, to);
    target.checkWritable(moving);
    RepositoryState.Moving mark = (RepositoryState.Moving) moving.state();
    boolean arrived = false;
    while (!arrived) { // until no late process rewrites the reservation
      Optional<VersionedManifest> before = target.read(); // after the old one, marked later
      Optional<RepositoryState.Reserved> reserved = reservation(before, moving, from);
      if (reserved.isPresent() && isFor(reserved.get(), mark, to)) {
        long generation = Math.max(moving.generation(), generation(before)) + 1;
        Manifest active =
            next(moving, generation, RepositoryState.ACTIVE)
                .withLeft(Departure.without(left(before), moving.repositoryId()));
        arrived = writes.on(target).writeOnce(before.get(), active);
      } else if (generation(before) > mark.reserved()) {
        arrived = true;
      } else {
        throw new ManifestException(
            target
                + ": is from before the rename of "
                + from
                + " to it began, as in a copy of the store; nothing was changed,"
                + " see verify --names",
            null);
      }
    }
    Departure departure = new Departure(moving.repositoryId(), to.value(), mark.reserved());
    Manifest tombstone =
        tombstone(moving, new RepositoryState.Moved(to.value()))
            .withLeft(Departure.and(moving.left(), departure));
    writes.writeOnce(origin, tombstone);
  }

  private static boolean hasLeft(
      Optional<VersionedManifest> found, String repositoryId, RepositoryName to) {
    return left(found).stream()
        .anyMatch(d -> d.repositoryId().equals(repositoryId) && d.to().equals(to.value()));
  }

  private static List<Departure> left(Optional<VersionedManifest> found) {
    return found.map(manifest -> manifest.manifest().left()).orElse(List.of());
  }

  private DecidedWrites writes(ManifestFile file) {
    return new DecidedWrites(
        file, ticker, new Pacing(random.split()), ticker.nanoTime() + policy.deadline().toNanos());
  }

  private static Manifest next(Manifest repository, long generation, RepositoryState state) {
    Manifest.Counters counters = repository.counters();
    return repository.committed(generation, state, counters.writers(), counters.prunedTo());
  }

  private static Manifest tombstone(Manifest before, RepositoryState state) {
    long generation = before.generation() + 1;
    Manifest made =
        Manifest.blank(
                before.repositoryId(),
                state,
                generation,
                generation,
                RepositorySettings.NONE,
                Refs.NONE)
            .withLeft(before.left());
    boolean ofTemplate = state instanceof RepositoryState.Deleted && before.isTemplate();
    return ofTemplate ? made.withTemplate(before.template()) : made;
  }

  private static VersionedManifest active(ManifestFile file, Optional<VersionedManifest> found)
      throws ManifestException {
    Optional<RepositoryState> state = found.map(manifest -> manifest.manifest().state());
    if (!(state.orElse(null) instanceof RepositoryState.Active)) {
      throw file.gone(state);
    }
    file.checkWritable(found.get().manifest());
    return found.get();
  }

  private static boolean isRepository(Optional<VersionedManifest> found, String repositoryId) {
    return found.isPresent() && found.get().manifest().repositoryId().equals(repositoryId);
  }

  private static long generation(Optional<VersionedManifest> found) {
    return found.map(manifest -> manifest.manifest().generation()).orElse(0L);
  }
}
