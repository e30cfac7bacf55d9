// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack.connectivity;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jgit.errors.MissingObjectException;
import org.eclipse.jgit.internal.storage.dfs.DfsRepositoryDescription;
import org.eclipse.jgit.internal.storage.dfs.InMemoryRepository;
import org.eclipse.jgit.lib.AnyObjectId;
import org.eclipse.jgit.lib.CommitBuilder;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.FileMode;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectInserter;
import org.eclipse.jgit.lib.ObjectLoader;
import org.eclipse.jgit.lib.ObjectReader;
import org.eclipse.jgit.lib.PersonIdent;
import org.eclipse.jgit.lib.TagBuilder;
import org.eclipse.jgit.lib.TreeFormatter;
import org.jgits3.TestRepositories;
import org.jgits3.testing.RandomSeed;
import org.junit.jupiter.api.Test;

/**
 * Histories of few objects that come again and again, in merges, after reverts and in other places,
 * some of which are missing. What is found is compared with what all objects lead to.
 */
class ConnectivityOfRandomHistoriesTest {
  private static final int RUNS = RandomSeed.count(200, 1000);
  private static final int COMMITS = 10;
  private static final int TREES = 6;

  /** Number of checks of tips in each history. */
  private static final int CHECKS = 6;

  @Test
  void tips_are_complete_if_nothing_they_lead_to_is_missing() throws Exception {
    AtomicInteger complete = new AtomicInteger();
    RandomSeed.forEach(RUNS, seed -> complete.addAndGet(new Run(seed).go()));
    assertThat(complete.get()).isBetween(RUNS * CHECKS / 5, RUNS * CHECKS * 4 / 5);
  }

  /** A reader that some objects are missing for. */
  private static final class Lacking extends OneReader {
    private final Set<ObjectId> missing;

    Lacking(ObjectReader reader, Set<ObjectId> missing) {
      super(reader);
      this.missing = missing;
    }

    @Override
    public boolean has(AnyObjectId id) throws IOException {
      return !missing.contains(id.copy()) && super.has(id);
    }

    @Override
    public boolean has(AnyObjectId id, int typeHint) throws IOException {
      return has(id);
    }

    @Override
    public ObjectLoader open(AnyObjectId id, int typeHint) throws IOException {
      if (missing.contains(id.copy())) {
        throw new MissingObjectException(id.copy(), "object");
      }
      return super.open(id, typeHint);
    }
  }

  /** One history. */
  private static final class Run {
    private final int seed;
    private final Random random;
    private final InMemoryRepository repository =
        new InMemoryRepository(new DfsRepositoryDescription("r"));

    /** Objects that each object refers to. */
    private final Map<ObjectId, Set<ObjectId>> below = new HashMap<>();

    private final List<ObjectId> commits = new ArrayList<>();
    private final List<ObjectId> tips = new ArrayList<>();

    Run(int seed) {
      this.seed = seed;
      this.random = new Random(seed);
    }

    /** Looks at some tips, and counts those that are complete. */
    int go() throws IOException {
      make();
      Set<ObjectId> missing = new HashSet<>();
      List<ObjectId> all = below.keySet().stream().sorted().toList();
      for (int i = random.nextInt(3); i > 0; i--) {
        missing.add(any(all));
      }
      List<ObjectId> there = all.stream().filter(id -> isComplete(id, missing)).toList();
      Set<ObjectId> collected = new HashSet<>();
      for (int i = random.nextInt(3); i > 0 && !there.isEmpty(); i--) {
        collected.addAll(reachable(any(there)));
      }
      List<ObjectId> branches = tips.stream().filter(there::contains).toList();
      for (int i = random.nextInt(3); i > 0 && !branches.isEmpty(); i--) {
        TestRepositories.force(repository, Constants.R_REFS + "r" + i, any(branches));
      }
      int complete = 0;
      for (int i = 0; i < CHECKS; i++) {
        Set<ObjectId> checked = Set.copyOf(Arrays.asList(any(tips), any(tips)));
        boolean expected = checked.stream().allMatch(id -> isComplete(id, missing));
        assertThat(
                check(
                    checked,
                    missing,
                    new OneReader.Collected(collected),
                    random.nextInt(2) * COMMITS - 1))
            .as("seed %s, check %s of %s without %s", seed, i, checked, missing)
            .isEqualTo(expected);
        complete += expected ? 1 : 0;
      }
      return complete;
    }

    private boolean check(
        Set<ObjectId> ids, Set<ObjectId> missing, OneReader.Collected collected, int near)
        throws IOException {
      try (ObjectReader reader = new Lacking(repository.newObjectReader(), missing)) {
        new Connectivity(
                reader,
                repository.getRefDatabase(),
                collected,
                id -> reader.open(id).getType() == Constants.OBJ_BLOB,
                near)
            .check(ids);
        return true;
      } catch (MissingObjectException e) {
        assertThat(missing).as("seed %s", seed).contains(e.getObjectId());
        return false;
      }
    }

    private boolean isComplete(ObjectId id, Set<ObjectId> missing) {
      return reachable(id).stream().noneMatch(missing::contains);
    }

    private Set<ObjectId> reachable(ObjectId id) {
      Set<ObjectId> reachable = new LinkedHashSet<>(Set.of(id));
      below.get(id).forEach(next -> reachable.addAll(reachable(next)));
      return reachable;
    }

    private <T> T any(List<T> list) {
      return list.get(random.nextInt(list.size()));
    }

    private void make() throws IOException {
      try (ObjectInserter inserter = repository.newObjectInserter()) {
        List<ObjectId> files = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
          files.add(made(inserter.insert(Constants.OBJ_BLOB, new byte[i]), Set.of()));
        }
        List<ObjectId> trees = new ArrayList<>();
        for (int i = 0; i < TREES; i++) {
          trees.add(tree(inserter, files, trees));
        }
        for (int i = 0; i < COMMITS; i++) {
          commits.add(commit(inserter, i, any(trees)));
        }
        tips.addAll(commits);
        tips.add(any(trees));
        tips.add(tag(inserter, any(tips)));
        inserter.flush();
      }
    }

    private ObjectId made(ObjectId id, Set<ObjectId> leadsTo) {
      below.put(id, leadsTo);
      return id;
    }

    private ObjectId tree(ObjectInserter inserter, List<ObjectId> files, List<ObjectId> trees)
        throws IOException {
      Map<String, ObjectId> entries = new TreeMap<>();
      for (int i = random.nextInt(4); i > 0; i--) {
        boolean isTree = !trees.isEmpty() && random.nextBoolean();
        entries.put((isTree ? "d" : "f") + random.nextInt(3), isTree ? any(trees) : any(files));
      }
      TreeFormatter tree = new TreeFormatter();
      entries.forEach(
          (name, id) ->
              tree.append(name, name.startsWith("d") ? FileMode.TREE : FileMode.REGULAR_FILE, id));
      return made(inserter.insert(tree), Set.copyOf(entries.values()));
    }

    private ObjectId commit(ObjectInserter inserter, int i, ObjectId tree) throws IOException {
      Set<ObjectId> parents = new LinkedHashSet<>();
      for (int n = random.nextInt(10) == 0 ? 0 : 1 + random.nextInt(2); n > 0 && i > 0; n--) {
        parents.add(commits.get(Math.max(0, i - 1 - random.nextInt(3))));
      }
      CommitBuilder commit = new CommitBuilder();
      commit.setTreeId(tree);
      commit.setParentIds(List.copyOf(parents));
      // clocks go wrong
      Instant when = Instant.ofEpochSecond(1000 + random.nextInt(20));
      commit.setAuthor(new PersonIdent("A U Thor", "author@example.com", when, ZoneOffset.UTC));
      commit.setCommitter(commit.getAuthor());
      commit.setMessage("commit " + i);
      Set<ObjectId> all = new HashSet<>(parents);
      all.add(tree);
      return made(inserter.insert(commit), all);
    }

    private ObjectId tag(ObjectInserter inserter, ObjectId id) throws IOException {
      TagBuilder tag = new TagBuilder();
      tag.setTag("v1");
      tag.setObjectId(id, commits.contains(id) ? Constants.OBJ_COMMIT : Constants.OBJ_TREE);
      return made(inserter.insert(tag), Set.of(id));
    }
  }
}
