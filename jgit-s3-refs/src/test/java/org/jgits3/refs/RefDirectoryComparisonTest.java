// SPDX-License-Identifier: Apache-2.0
package org.jgits3.refs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.eclipse.jgit.internal.storage.file.FileRepository;
import org.eclipse.jgit.lib.BatchRefUpdate;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.lib.RefUpdate;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.revwalk.RevWalk;
import org.eclipse.jgit.transport.ReceiveCommand;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The same random operations on this RefDatabase and on JGit's RefDirectory, with equal results.
 */
class RefDirectoryComparisonTest {
  private static final String[] NAMES = {
    "refs/heads/master",
    "refs/heads/a",
    "refs/heads/a/b",
    "refs/heads/a/b/c",
    "refs/heads/b",
    "refs/heads/\u00e9",
    "refs/heads/\uD83D\uDE00",
    "refs/heads/\uFF5E",
    "refs/tags/v1",
    "refs/tags/v1.0",
    "refs/changes/01/1/1",
    "refs/changes/01/1/meta",
    "refs/meta/config"
  };
  private static final String[] LINKS = {"HEAD", "refs/heads/link", "refs/remotes/origin/HEAD"};

  @TempDir Path directory;
  private S3RepositoryManager manager;
  private S3Repository ours;
  private Repository theirs;
  private final List<ObjectId> commits = new ArrayList<>();
  private final List<ObjectId> tags = new ArrayList<>();

  /** What the last operation was, for messages. */
  private String described;

  @BeforeEach
  void create() throws Exception {
    manager = TestRepositories.manager(directory.resolve("store"));
    ours = manager.createRepository("r");
    theirs = new FileRepository(directory.resolve("r.git").toFile());
    theirs.create(true);
    for (Repository r : List.of(ours, theirs)) {
      commits.clear();
      tags.clear();
      ObjectId parent = null;
      for (int i = 0; i < 4; i++) {
        parent =
            parent == null
                ? TestRepositories.commit(r, "first")
                : TestRepositories.commit(r, "c" + i, parent);
        commits.add(parent);
      }
      commits.add(TestRepositories.commit(r, "side", commits.get(0)));
      tags.add(TestRepositories.tag(r, "t", commits.get(1)));
    }
  }

  @AfterEach
  void close() throws Exception {
    ours.close();
    theirs.close();
    manager.close();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void results_and_listings_are_those_of_RefDirectory(long seed) throws Exception {
    Random random = new Random(seed);
    for (int i = 0; i < 100; i++) {
      long step = random.nextLong();
      String what = "seed " + seed + ", operation " + i + ": ";
      List<String> before = listing(theirs);
      described = "";
      Object expected = operate(theirs, new Random(step));
      Object actual = operate(ours, new Random(step));
      assertThat(actual).as(what + described + "; refs " + before).isEqualTo(expected);
      if (random.nextInt(20) == 0) {
        ours.getRefDatabase().compact();
      }
      assertSame(what + described);
    }
  }

  private Object operate(Repository r, Random step) throws IOException {
    return switch (step.nextInt(7)) {
      case 0, 1 -> update(r, step);
      case 2 -> delete(r, step);
      case 3 -> link(r, step);
      case 4 -> rename(r, step);
      case 5 -> batch(r, step, true);
      default -> batch(r, step, false);
    };
  }

  private static <T> T any(Random random, List<T> of) {
    return of.get(random.nextInt(of.size()));
  }

  private ObjectId anyObject(Random step) {
    return step.nextInt(5) == 0 ? any(step, tags) : any(step, commits);
  }

  private Object update(Repository r, Random step) throws IOException {
    String name = step.nextInt(6) == 0 ? LINKS[step.nextInt(3)] : NAMES[step.nextInt(NAMES.length)];
    RefUpdate u = r.getRefDatabase().newUpdate(name, step.nextInt(4) == 0);
    String leaf = u.getRef().getLeaf().getName();
    if (!leaf.equals(name) && r.getRefDatabase().isNameConflicting(leaf)) {
      return "RefDirectory throws an IOException or creates both refs";
    }
    u.setNewObjectId(anyObject(step));
    u.setForceUpdate(step.nextBoolean());
    if (step.nextInt(3) == 0) {
      u.setExpectedOldObjectId(step.nextBoolean() ? ObjectId.zeroId() : any(step, commits));
    }
    described =
        "update "
            + u.getRef()
            + " to "
            + u.getNewObjectId()
            + (u.isForceUpdate() ? " by force" : "")
            + (u.isDetachingSymbolicRef() ? " detaching" : "")
            + " expecting "
            + u.getExpectedOldObjectId();
    return u.update();
  }

  private Object delete(Repository r, Random step) throws IOException {
    RefUpdate u = r.getRefDatabase().newUpdate(NAMES[step.nextInt(NAMES.length)], false);
    u.setForceUpdate(step.nextInt(4) != 0);
    if (step.nextInt(3) == 0) {
      u.setExpectedOldObjectId(any(step, commits));
    }
    described = "delete " + u.getRef() + (u.isForceUpdate() ? " by force" : "");
    return u.delete();
  }

  private Object link(Repository r, Random step) throws IOException {
    String name = LINKS[step.nextInt(3)];
    String target = NAMES[step.nextInt(NAMES.length)];
    described = "link " + name + " to " + target;
    return r.getRefDatabase().newUpdate(name, true).link(target);
  }

  private Object rename(Repository r, Random step) throws IOException {
    String from = NAMES[step.nextInt(NAMES.length)];
    String to = NAMES[step.nextInt(NAMES.length)];
    if (from.equals(to) || r.exactRef(from) == null) {
      return "nothing to rename";
    }
    described = "rename " + from + " to " + to;
    return r.getRefDatabase().newRename(from, to).rename();
  }

  private Object batch(Repository r, Random step, boolean atomic) throws IOException {
    BatchRefUpdate batch = r.getRefDatabase().newBatchUpdate();
    batch.setAtomic(atomic);
    batch.setAllowNonFastForwards(step.nextBoolean());
    Set<String> names = new TreeSet<>();
    int size = 2 + step.nextInt(4);
    while (names.size() < size) {
      names.add(NAMES[step.nextInt(NAMES.length)]);
    }
    List<ReceiveCommand> commands = new ArrayList<>();
    for (String name : names) {
      Ref now = r.exactRef(name);
      boolean stale = step.nextInt(8) == 0;
      boolean delete = step.nextInt(4) == 0;
      ObjectId other = anyObject(step);
      ObjectId next = anyObject(step);
      ObjectId old = now == null ? ObjectId.zeroId() : now.getObjectId();
      if (stale) {
        old = other;
      }
      ObjectId to = delete && !ObjectId.zeroId().equals(old) ? ObjectId.zeroId() : next;
      commands.add(new ReceiveCommand(old, to, name));
    }
    batch.addCommand(commands);
    described = "batch" + (atomic ? ", atomic, " : " ") + commands;
    try (RevWalk walk = new RevWalk(r)) {
      batch.execute(walk, NullProgressMonitor.INSTANCE);
    }
    return batch.getCommands().stream()
        .map(c -> c.getRefName() + " " + c.getResult())
        .sorted()
        .toList();
  }

  private void assertSame(String what) throws IOException {
    assertThat(listing(ours)).as(what).isEqualTo(listing(theirs));
    for (String name : NAMES) {
      assertThat(text(ours.exactRef(name))).as(what).isEqualTo(text(theirs.exactRef(name)));
      assertThat(ours.getRefDatabase().isNameConflicting(name))
          .as(what + " conflicts of " + name)
          .isEqualTo(theirs.getRefDatabase().isNameConflicting(name));
    }
    for (String name : LINKS) {
      assertThat(text(ours.exactRef(name))).as(what).isEqualTo(text(theirs.exactRef(name)));
    }
    for (String prefix : List.of("refs/heads/", "refs/heads/a", "refs/tags/", "refs/x/")) {
      assertThat(ours.getRefDatabase().getRefsByPrefix(prefix).stream().map(Ref::getName).toList())
          .as(what + " prefix " + prefix)
          .containsExactlyInAnyOrderElementsOf(
              theirs.getRefDatabase().getRefsByPrefix(prefix).stream().map(Ref::getName).toList());
    }
  }

  private static List<String> listing(Repository r) throws IOException {
    List<String> lines = new ArrayList<>();
    for (Ref ref : r.getRefDatabase().getRefs()) {
      lines.add(text(r.getRefDatabase().peel(ref)) + " " + ref.getLeaf().getName());
    }
    lines.sort(null);
    return lines;
  }

  private static String text(Ref ref) {
    return ref == null ? "none" : ref.getName() + " " + ref.isSymbolic() + " " + ref.getObjectId();
  }

  @Test
  void a_ref_that_is_a_directory_of_another_is_refused() throws Exception {
    for (Repository r : List.of(ours, theirs)) {
      RefUpdate deep = r.updateRef("refs/heads/a/b");
      deep.setNewObjectId(commits.get(0));
      assertThat(deep.update()).isEqualTo(RefUpdate.Result.NEW);
      RefUpdate flat = r.updateRef("refs/heads/a");
      flat.setNewObjectId(commits.get(0));
      assertThat(flat.update()).isEqualTo(RefUpdate.Result.LOCK_FAILURE);
    }
  }
}
