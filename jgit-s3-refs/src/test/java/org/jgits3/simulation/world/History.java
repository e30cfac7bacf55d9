// SPDX-License-Identifier: Apache-2.0
package org.jgits3.simulation.world;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.eclipse.jgit.annotations.Nullable;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.manifest.LiveObject;
import org.jgits3.manifest.LogEntry;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ManifestCodec;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.NamePointer;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.manifest.RefChange;
import org.jgits3.manifest.RefSnapshot;
import org.jgits3.manifest.RefValue;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.simulation.Scheduler;
import org.jgits3.store.ArraysObjectStore.Stored;

/**
 * Operations of a run, and the manifests that the store had, in their order. Each write of a
 * manifest is the moment at which operations take effect, so the history is judged without a
 * search:
 *
 * <ul>
 *   <li>refs change by the logged operations of the write, and by nothing else;
 *   <li>an operation takes effect once, after it began, on the values that it expected, as a whole;
 *   <li>one reported as a success took effect before it ended; one reported as refused never does;
 *   <li>a refusal and a look-up have a moment between their beginning and end that explains them;
 *   <li>what a manifest lists is stored, and is not deleted while it lists it.
 * </ul>
 */
final class History implements Bucket.Rules {
  private final Scheduler scheduler;
  private final String prefix;
  private final List<Operation> operations = new ArrayList<>();
  private final Map<String, Map<String, String>> repositories = new HashMap<>();
  private final Map<String, List<View>> names = new HashMap<>();
  private final Map<String, Set<String>> listed = new HashMap<>();
  private final Map<String, Map<String, String>> snapshots = new HashMap<>();
  private final Map<String, List<String>> log = new HashMap<>();
  private final List<Manifest> manifests = new ArrayList<>();
  private final Names naming = new Names(this);
  private final Bucket bucket;
  private int time;
  private int doubts;

  /** What a client was told. */
  enum Report {
    RUNNING,
    OK,
    REFUSED,
    NO_CHANGE,
    NOT_WRITTEN,
    UNKNOWN
  }

  /**
   * Change of a ref.
   *
   * @param ref its name
   * @param expected value that it must have; empty for none at all, null for any
   * @param to its new value; empty if deleted
   */
  record Change(String ref, @Nullable String expected, String to) {}

  /** Repository of a name, and its refs, from a moment on; null if it stands for none. */
  private record View(int from, @Nullable String id, @Nullable Map<String, String> refs) {}

  /** An update of one or more refs. */
  static final class Operation {
    private final String id;
    private final String repository;
    private final List<Change> changes;
    private final int began;
    private Optional<String> repositoryId = Optional.empty();
    private int ended = Integer.MAX_VALUE;
    private int applied;
    private Report report = Report.RUNNING;

    Operation(String id, String repository, List<Change> changes, int began) {
      this.id = id;
      this.repository = repository;
      this.changes = changes;
      this.began = began;
    }

    String id() {
      return id;
    }

    List<Change> changes() {
      return changes;
    }

    /** The repository that the client knows under the name; it must change no other. */
    void of(Optional<String> known) {
      repositoryId = known;
    }

    @Override
    public String toString() {
      return id + " " + changes + " " + report;
    }
  }

  /**
   * An empty history, of an empty bucket.
   *
   * @param scheduler of the run
   * @param prefix of the names of operations
   */
  History(Scheduler scheduler, String prefix) {
    this.scheduler = scheduler;
    this.prefix = prefix;
    this.bucket = new Bucket(scheduler, this);
  }

  /** The bucket with this history. */
  Bucket bucket() {
    return bucket;
  }

  /** Learns that a request got no answer, so that outcomes may be unknown. */
  @Override
  public void doubt() {
    doubts++;
  }

  /** Moment of now, for look-ups. */
  int now() {
    return ++time;
  }

  Operation begin(String repository, List<Change> changes) {
    Operation made = new Operation(prefix + operations.size(), repository, changes, now());
    operations.add(made);
    scheduler.trace(() -> "begin " + made);
    return made;
  }

  void end(Operation operation, Report report) {
    operation.ended = now();
    operation.report = report;
    scheduler.trace(() -> "end " + operation);
    if (report == Report.OK) {
      check(operation.applied > 0, operation, "is reported as a success and did not happen");
    } else if (report == Report.REFUSED) {
      checkNotApplied(operation);
      check(
          explained(operation.repository, operation.began, refs -> unlike(refs, operation)),
          operation,
          "was refused though all values were as expected");
    } else if (report == Report.NO_CHANGE) {
      checkNotApplied(operation);
      check(
          explained(operation.repository, operation.began, refs -> alike(refs, operation)),
          operation,
          "had something to change");
    } else if (report == Report.NOT_WRITTEN) {
      checkNotApplied(operation);
    } else {
      check(doubts(), operation, "is unknown though all requests were answered");
    }
  }

  private static void checkNotApplied(Operation operation) {
    check(operation.applied == 0, operation, "is reported as not done and happened");
  }

  private static boolean unlike(@Nullable Map<String, String> refs, Operation operation) {
    return refs == null
        || operation.changes.stream()
            .anyMatch(
                c -> c.expected() != null && !c.expected().equals(refs.getOrDefault(c.ref(), "")));
  }

  private static boolean alike(@Nullable Map<String, String> refs, Operation operation) {
    return refs != null
        && operation.changes.stream().allMatch(c -> c.to().equals(refs.getOrDefault(c.ref(), "")));
  }

  /** Checks a look-up. */
  void looked(String repository, int began, Map<String, String> seen) {
    now();
    if (!explained(repository, began, refs -> seen.equals(refs))) {
      throw new AssertionError("refs were never as they were read: " + seen);
    }
  }

  /** Checks a look-up of one ref. */
  void looked(String repository, int began, String ref, String seen) {
    now();
    if (!explained(
        repository, began, refs -> refs != null && refs.getOrDefault(ref, "").equals(seen))) {
      throw new AssertionError(ref + " never had the value that was read: " + seen);
    }
  }

  private boolean explained(
      String repository, int began, Predicate<Map<String, String>> condition) {
    return was(repository, began, view -> condition.test(view.refs()));
  }

  /** Tests whether a name stood for a repository, or for none, at some moment. */
  boolean held(String name, int began, Predicate<String> condition) {
    return was(name, began, view -> condition.test(view.id()));
  }

  private boolean was(String name, int began, Predicate<View> condition) {
    List<View> views = names.getOrDefault(name, List.of());
    for (int i = views.size() - 1; i >= 0; i--) {
      if (condition.test(views.get(i))) {
        return true;
      }
      if (views.get(i).from() < began) {
        return false;
      }
    }
    return condition.test(new View(0, null, null));
  }

  /** Checks a listing of all names. */
  void listed(int began, Set<String> found) {
    now();
    names.forEach(
        (name, views) -> {
          if (!found.contains(name) && !was(name, began, view -> view.id() == null)) {
            throw new AssertionError(name + " is not listed: " + found);
          }
        });
  }

  /** The names of the store, and what changes them. */
  Names naming() {
    return naming;
  }

  @Override
  @Nullable
  public Object current() {
    return naming.current();
  }

  void trace(Supplier<String> what) {
    scheduler.trace(what);
  }

  /** Tests whether a request got no answer. */
  boolean doubts() {
    return doubts > 0;
  }

  /** All manifests of repositories, as copies of the store may have them. */
  List<Manifest> manifests() {
    return manifests;
  }

  /** Messages of all changes by repository. */
  Map<String, List<String>> log() {
    return log;
  }

  /** Takes the messages of an earlier run, with whose objects this one begins. */
  void begin(Map<String, List<String>> earlier) {
    earlier.forEach((id, messages) -> log.put(id, new ArrayList<>(messages)));
  }

  /** Messages of all changes of a repository, in their order. */
  List<String> log(String repositoryId) {
    return log.getOrDefault(repositoryId, List.of());
  }

  /** The newest refs of a name. */
  @Nullable
  Map<String, String> refs(String repository) {
    List<View> views = names.get(repository);
    return views == null ? null : views.get(views.size() - 1).refs();
  }

  private static void check(boolean holds, Operation operation, String failure) {
    if (!holds) {
      throw new AssertionError(operation + ": " + failure);
    }
  }

  @Override
  public void written(String key, byte[] bytes, @Nullable Object by) {
    try {
      if (ObjectNames.repositoryIdOfManifest(key).isPresent()) {
        written(ManifestCodec.decode(key, bytes), (Names.Operation) by);
      }
      Optional<RepositoryName> name = RepositoryName.fromPointerKey(key);
      if (name.isPresent()) {
        naming.written(name.get().value(), NamePointer.decode(key, bytes));
        view(name.get().value());
      }
    } catch (ManifestException | AssertionError e) {
      scheduler.fail(e); // not thrown, since the library would catch it
    }
  }

  /** Notes what a name stands for now. */
  private void view(String name) {
    String id = naming.holder(name);
    Map<String, String> refs = id == null ? null : repositories.get(id);
    names.computeIfAbsent(name, any -> new ArrayList<>()).add(new View(now(), id, refs));
  }

  private void written(Manifest manifest, @Nullable Names.Operation by) {
    String id = manifest.repositoryId();
    Manifest before = naming.manifest(id);
    scheduler.trace(() -> "WRITTEN " + id + " " + manifest.generation() + " " + manifest.state());
    if (manifest.holdsRepository()) {
      changed(id, manifest, refs(manifest));
      manifests.add(manifest);
    }
    naming.written(manifest, by);
    if (before != null) {
      Names.name(before).ifPresent(this::view);
    }
    Names.name(manifest).ifPresent(this::view);
    if (!manifest.holdsRepository()) {
      listed.remove(id);
    } else if (naming.isWhole(manifest)) {
      checkWhole(manifest);
    }
  }

  private List<String> firstLog(Manifest manifest) {
    return manifest.isFork()
        ? log(manifest.template().orElseThrow().repositoryId())
        : manifest.log().tail().stream().map(LogEntry::message).toList();
  }

  /** Checks that the refs were changed by what was logged. */
  private void changed(String id, Manifest manifest, Map<String, String> refs) {
    Map<String, String> before = repositories.put(id, refs);
    if (before == null) {
      log.computeIfAbsent(id, any -> new ArrayList<>(firstLog(manifest)));
      return;
    }
    Map<String, String> logged = new TreeMap<>(before);
    for (LogEntry entry : manifest.log().tail()) {
      if (entry.generation() == manifest.generation()) {
        apply(id, entry, logged);
      }
    }
    if (!logged.equals(refs)) {
      throw new AssertionError("refs are " + refs + " instead of " + logged);
    }
  }

  /** Checks that each object that a repository lists exists, now and from now on. */
  void checkWhole(Manifest manifest) {
    Set<String> keys = new HashSet<>();
    LiveObject.of(manifest).forEach(object -> keys.add(object.key()));
    for (String key : keys) {
      if (bucket.get(key) == null) {
        throw new AssertionError("the manifest lists " + key + ", which does not exist");
      }
    }
    listed.put(manifest.repositoryId(), keys);
  }

  private void apply(String repositoryId, LogEntry entry, Map<String, String> refs) {
    log.computeIfAbsent(repositoryId, any -> new ArrayList<>()).add(entry.message());
    if (entry.message().startsWith("restore-refs") || entry.message().startsWith("import ")) {
      entry.changes().forEach(change -> apply(change, refs, entry));
      return;
    }
    Operation operation =
        operations.stream()
            .filter(o -> o.id.equals(entry.message()))
            .findFirst()
            .orElseThrow(() -> new AssertionError("nothing is known of " + entry));
    operation.applied++;
    check(operation.applied == 1, operation, "happened twice");
    check(
        operation.repositoryId.map(repositoryId::equals).orElse(true),
        operation,
        "happened to another repository of the name");
    check(
        operation.ended == Integer.MAX_VALUE || operation.report == Report.UNKNOWN,
        operation,
        "happened after its end");
    check(operation.changes.size() == entry.changes().size(), operation, "happened in part");
    check(!unlike(refs, operation), operation, "happened on other values: " + refs);
    entry.changes().forEach(change -> apply(change, refs, operation));
    for (Change change : operation.changes) {
      check(
          refs.getOrDefault(change.ref(), "").equals(change.to()), operation, "made other values");
    }
  }

  private static void apply(RefChange change, Map<String, String> refs, Object what) {
    if (!refs.getOrDefault(change.ref(), "").equals(text(change.oldId()))) {
      throw new AssertionError(what + " logs another value than " + refs);
    }
    if (change.newId().equals(ObjectId.zeroId())) {
      refs.remove(change.ref());
    } else {
      refs.put(change.ref(), change.newId().name());
    }
  }

  private static String text(ObjectId id) {
    return id.equals(ObjectId.zeroId()) ? "" : id.name();
  }

  private Map<String, String> refs(Manifest manifest) {
    Map<String, String> refs = new TreeMap<>();
    manifest.refs().tables().forEach(level -> refs.putAll(snapshot(manifest, level)));
    refs.values().removeIf(ObjectId.zeroId().name()::equals); // marks of deleted refs
    manifest
        .refs()
        .overlay()
        .forEach(
            (name, value) -> {
              if (value instanceof RefValue.Direct direct) {
                refs.put(name, direct.id().name());
              } else {
                refs.remove(name);
              }
            });
    return refs;
  }

  private Map<String, String> snapshot(Manifest manifest, RefSnapshot snapshot) {
    String key = ObjectNames.snapshotKey(manifest.owner(snapshot.id()), snapshot.id());
    return snapshots.computeIfAbsent(
        key,
        any -> {
          Stored stored = bucket.get(key);
          if (stored == null) {
            throw new AssertionError("the manifest lists the snapshot " + key + ", which is gone");
          }
          Map<String, String> refs = new TreeMap<>();
          for (String line : new String(stored.bytes(), UTF_8).split("\n", -1)) {
            if (line.length() > 41 && line.charAt(40) == ' ') {
              refs.put(line.substring(41), line.substring(0, 40));
            }
          }
          return refs;
        });
  }

  @Override
  public void deleted(String key) {
    if (ObjectNames.repositoryIdOfManifest(key).isPresent()) {
      scheduler.fail(new AssertionError(key + " is removed"));
    }
    RepositoryName.fromPointerKey(key).ifPresent(name -> removed(name.value()));
    listed.forEach(
        (id, keys) -> {
          if (keys.contains(key)) {
            scheduler.fail(new AssertionError(key + " is deleted, and " + id + " lists it"));
          }
        });
  }

  private void removed(String name) {
    try {
      naming.removed(name);
      view(name);
    } catch (AssertionError e) {
      scheduler.fail(e);
    }
  }

  /** Checks what has not been checked yet, after all requests have arrived. */
  void checkAll() {
    for (Operation each : operations) {
      if (each.report == Report.REFUSED
          || each.report == Report.NO_CHANGE
          || each.report == Report.NOT_WRITTEN) {
        checkNotApplied(each);
      } else if (each.report == Report.OK) {
        check(each.applied == 1, each, "is reported as a success and is lost");
      }
    }
  }
}
