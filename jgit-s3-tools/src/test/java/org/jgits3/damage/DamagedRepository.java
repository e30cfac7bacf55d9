// SPDX-License-Identifier: Apache-2.0
package org.jgits3.damage;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.eclipse.jgit.errors.ConfigInvalidException;
import org.eclipse.jgit.errors.MissingObjectException;
import org.eclipse.jgit.errors.RepositoryNotFoundException;
import org.eclipse.jgit.internal.storage.dfs.DfsBlockCache;
import org.eclipse.jgit.internal.storage.dfs.DfsBlockCacheConfig;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.RefUpdate;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.internal.commit.StoredManifest;
import org.jgits3.manifest.LiveObject;
import org.jgits3.store.MemoryObjectStore;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.StoreException;
import org.jgits3.verify.Verification;

/** A repository of which one object has other bytes, and everything that is asked of it. */
final class DamagedRepository {
  /** Reads of the object that are answered with the other bytes. */
  enum Where {
    AT_REST(0),
    IN_TRANSIT_ONCE(1),
    IN_TRANSIT_TWICE(2),
    IN_TRANSIT_ALWAYS(Integer.MAX_VALUE);

    private final int reads;

    Where(int reads) {
      this.reads = reads;
    }
  }

  private static final String NAME = StoredSample.NAME;
  private static final String PUSHED = "refs/heads/pushed";

  private final Picture truth;
  private final String key;
  private final byte[] good;
  private final byte[] bad;
  private final Where where;

  /** What the store holds. */
  private final MemoryObjectStore held;

  /** What the store answers. */
  private final ObjectStore store;

  private Optional<ObjectId> pushed = Optional.empty();

  DamagedRepository(StoredSample sample, Picture truth, String key, byte[] bad, Where where)
      throws IOException {
    this.truth = truth;
    this.key = key;
    this.good = sample.bytes(key);
    this.bad = bad;
    this.where = where;
    this.held = sample.copy();
    if (where == Where.AT_REST) {
      held.put(key, bad, 0, bad.length);
    }
    this.store = where == Where.AT_REST ? held : new DamagedStore(held, key, bad, where.reads);
  }

  /** A question; true if the answer is right. */
  @FunctionalInterface
  private interface Question<T> {
    boolean isRight(T asked) throws Exception;
  }

  private record Asked<T>(String what, Question<T> question) {}

  /** Asks everything in a random order, puts the right bytes back, and looks at what is left. */
  void isRightOrRefused(Random random) throws Exception {
    List<Asked<S3Repository>> questions = new ArrayList<>(questions());
    Collections.shuffle(questions, random);
    ask(questions.subList(0, questions.size() / 2));
    ask(questions.subList(questions.size() / 2, questions.size()));
    ask(changes());
    maintain();
    leavesTheEvidence();
    isWholeWithTheRightBytes();
  }

  private List<Asked<S3Repository>> questions() {
    return List.of(
        new Asked<>("refs", r -> Picture.refs(r).equals(truth.refs())),
        new Asked<>("look-up", r -> Picture.ref(r, StoredSample.MAIN).equals(main())),
        new Asked<>("look-up of none", r -> Picture.ref(r, "refs/heads/none").isEmpty()),
        new Asked<>("objects", r -> Picture.read(r, truth.objects()).equals(truth.objects())),
        new Asked<>("walk", r -> Picture.walk(r, truth.refs()).equals(truth.objects())),
        new Asked<>("clone", r -> Picture.cloned(r, truth.refs()).equals(truth.objects())),
        new Asked<>("history", r -> Picture.history(r).equals(truth.history())),
        new Asked<>("settings", r -> Picture.settings(r).equals(truth.settings())));
  }

  private Optional<ObjectId> main() {
    return Optional.of(truth.refs().get(StoredSample.MAIN));
  }

  private List<Asked<S3Repository>> changes() {
    return List.of(
        new Asked<>("push", this::push),
        new Asked<>(
            "compaction of refs",
            r -> {
              r.getRefDatabase().compact();
              return true;
            }));
  }

  private boolean push(S3Repository r) throws IOException {
    ObjectId id = TestRepositories.commit(r, "pushed", main().orElseThrow());
    RefUpdate.Result result = StoredSample.point(r, PUSHED, id);
    pushed = Optional.of(id).filter(made -> result == RefUpdate.Result.NEW);
    return pushed.isPresent();
  }

  private void ask(List<Asked<S3Repository>> questions) throws Exception {
    try (S3RepositoryManager manager = manager(store)) {
      for (Asked<S3Repository> asked : questions) {
        ask(
            new Asked<>(
                asked.what(),
                m -> {
                  try (S3Repository r = m.openRepository(NAME)) {
                    return asked.question().isRight(r);
                  }
                }),
            manager);
      }
    }
  }

  private void maintain() throws Exception {
    try (S3RepositoryManager manager = manager(store)) {
      ask(new Asked<>("verify", this::verify), manager);
      ask(
          new Asked<>(
              "collection",
              m -> {
                m.maintenance(NAME).collectGarbage(NullProgressMonitor.INSTANCE);
                return true;
              }),
          manager);
      ask(new Asked<>("sweep", m -> m.sweep(NAME, Duration.ofDays(1), false) != null), manager);
    }
  }

  /** Verification finds an object that has other bytes, and no other. */
  private boolean verify(S3RepositoryManager manager) throws IOException {
    List<Verification.Finding> found =
        new Verification(manager, NullProgressMonitor.INSTANCE).run(NAME).findings();
    boolean mustFind = where == Where.AT_REST && isListed();
    return found.stream().allMatch(f -> f.key().equals(key)) && !(mustFind && found.isEmpty());
  }

  private boolean isListed() throws IOException {
    return LiveObject.of(StoredManifest.read(held, NAME)).stream()
        .anyMatch(object -> object.key().equals(key));
  }

  private <T> void ask(Asked<T> asked, T of) {
    try {
      assertThat(asked.question().isRight(of)).as(asked.what()).isTrue();
    } catch (IOException | UncheckedIOException e) {
      assertNamesTheKey(asked.what(), e);
    } catch (Exception e) {
      throw new AssertionError(asked.what() + ": " + e, e);
    }
  }

  /** An error says which object is damaged; it does not say that anything is not there. */
  private void assertNamesTheKey(String what, Exception e) {
    List<Throwable> causes = causes(e);
    assertThat(causes)
        .as("%s: %s", what, causes)
        .noneMatch(MissingObjectException.class::isInstance)
        .noneMatch(RepositoryNotFoundException.class::isInstance)
        .noneMatch(StoreException.Missing.class::isInstance)
        .anyMatch(cause -> String.valueOf(cause.getMessage()).contains(key));
  }

  private static List<Throwable> causes(Throwable e) {
    List<Throwable> causes = new ArrayList<>();
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      causes.add(cause);
    }
    return causes;
  }

  /** A lease is written over by the next holder; nothing else is. */
  private void leavesTheEvidence() throws IOException {
    if (where == Where.AT_REST && !key.endsWith("/lease")) {
      assertThat(StoredSample.bytes(held, key)).as("evidence").isEqualTo(bad);
      held.put(key, good, 0, good.length);
    }
  }

  /** A manager of a process that has read nothing yet. */
  private static S3RepositoryManager manager(ObjectStore store) throws ConfigInvalidException {
    DfsBlockCache.reconfigure(new DfsBlockCacheConfig());
    return TestRepositories.manager(store);
  }

  private void isWholeWithTheRightBytes() throws Exception {
    try (S3RepositoryManager manager = manager(held);
        S3Repository r = manager.openRepository(NAME)) {
      Picture after = Picture.of(r);
      assertThat(after.refs()).isEqualTo(withPushed(truth.refs()));
      assertThat(after.objects().containsAll(truth.objects())).isTrue();
      assertThat(new HashSet<>(after.history()).containsAll(truth.history())).isTrue();
      assertThat(after.settings()).isEqualTo(truth.settings());
      Set<ObjectId> objects = after.objects();
      assertThat(Picture.read(r, objects)).isEqualTo(objects);
      assertThat(Picture.cloned(r, after.refs())).isEqualTo(objects);
      assertThat(new Verification(manager, NullProgressMonitor.INSTANCE).run(NAME).findings())
          .isEmpty();
    }
  }

  private Map<String, ObjectId> withPushed(Map<String, ObjectId> refs) {
    Map<String, ObjectId> all = new TreeMap<>(refs);
    pushed.ifPresent(id -> all.put(PUSHED, id));
    return all;
  }
}
