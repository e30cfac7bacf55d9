// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.eclipse.jgit.internal.storage.file.FileRepository;
import org.eclipse.jgit.lib.BatchRefUpdate;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.PersonIdent;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.lib.RefRename;
import org.eclipse.jgit.lib.RefUpdate;
import org.eclipse.jgit.lib.ReflogEntry;
import org.eclipse.jgit.lib.ReflogReader;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.transport.ReceiveCommand;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.testing.Holds;
import org.jgits3.testing.Seeds;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The reflogs are those that RefDirectory writes with {@code core.logAllRefUpdates = always}. */
@Holds(
    "TransactionReflog, S3RefUpdate, S3RefRename: Reflogs, also of symbolic and renamed refs, "
        + "are those of `RefDirectory`")
class ReflogComparisonTest {
  private static final List<String> NAMES =
      List.of("refs/heads/master", "refs/heads/a", "refs/heads/b", "refs/tags/v1");

  @TempDir Path directory;
  @AutoClose private S3RepositoryManager manager;
  @AutoClose private S3Repository ours;
  @AutoClose private FileRepository theirs;
  private final List<ObjectId> commits = new ArrayList<>();

  @BeforeEach
  void create() throws Exception {
    manager = TestRepositories.manager(directory.resolve("store"));
    ours = manager.createRepository("r");
    theirs = new FileRepository(directory.resolve("r.git").toFile());
    theirs.create(true);
    theirs.getConfig().setString("core", null, "logAllRefUpdates", "always");
    theirs.getConfig().save();
    for (Repository r : List.of(ours, theirs)) {
      commits.clear();
      for (int i = 0; i < 4; i++) {
        commits.add(TestRepositories.commit(r, "commit " + i));
      }
    }
  }

  private static PersonIdent who(int number) {
    return new PersonIdent("User " + number, "user" + number + "@example.com");
  }

  private String operate(Repository r, Random random, int number) throws IOException {
    String name = NAMES.get(random.nextInt(NAMES.size()));
    ObjectId id = commits.get(random.nextInt(commits.size()));
    String message = "message " + number + (random.nextInt(4) == 0 ? "\nin two lines" : "");
    boolean withResult = random.nextBoolean();
    switch (random.nextInt(8)) {
      case 0 -> {
        RefUpdate delete = r.updateRef(name);
        delete.setForceUpdate(true);
        return "delete " + name + " " + delete.delete();
      }
      case 1 -> {
        RefUpdate link = r.updateRef("HEAD", true);
        link.setRefLogIdent(who(number));
        link.setRefLogMessage(message, withResult);
        return "link to " + name + " " + link.link(name);
      }
      case 2 -> {
        String to = NAMES.get(random.nextInt(NAMES.size()));
        if (r.exactRef(name) == null || r.exactRef(to) != null) {
          return "nothing to rename"; // refused, RefDirectory would lose a reflog
        }
        RefRename rename = r.renameRef(name, to);
        rename.setRefLogIdent(who(number));
        rename.setRefLogMessage(message);
        return "rename " + name + " to " + to + " " + rename.rename();
      }
      case 3 -> {
        return "batch " + batch(r, random, number, message);
      }
      default -> {
        boolean detach = random.nextInt(4) == 0;
        String of = random.nextInt(3) == 0 ? "HEAD" : name;
        RefUpdate update = r.updateRef(of, detach);
        update.setNewObjectId(id);
        update.setRefLogIdent(who(number));
        update.setRefLogMessage(message, withResult);
        return "update " + of + (detach ? " detached " : " ") + update.forceUpdate();
      }
    }
  }

  private List<String> batch(Repository r, Random random, int number, String message)
      throws IOException {
    BatchRefUpdate batch = r.getRefDatabase().newBatchUpdate();
    batch.setAtomic(true);
    batch.setAllowNonFastForwards(true);
    batch.setRefLogIdent(who(number));
    batch.setRefLogMessage(message, random.nextBoolean());
    for (String name : NAMES) {
      Ref now = r.exactRef(name);
      ObjectId old = now == null ? ObjectId.zeroId() : now.getObjectId();
      ObjectId to = random.nextInt(4) == 0 ? ObjectId.zeroId() : commits.get(random.nextInt(4));
      if (!old.equals(to)) {
        batch.addCommand(new ReceiveCommand(old, to, name));
      }
    }
    TestRepositories.execute(r, batch);
    return batch.getCommands().stream().map(c -> c.getRefName() + " " + c.getResult()).toList();
  }

  private static List<String> reflog(Repository r, String name) throws IOException {
    ReflogReader reader = r.getRefDatabase().getReflogReader(name);
    List<String> lines = new ArrayList<>();
    if (reader != null) {
      for (ReflogEntry e : reader.getReverseEntries()) {
        lines.add(
            e.getOldId().abbreviate(8).name()
                + " "
                + e.getNewId().abbreviate(8).name()
                + " "
                + e.getWho().getEmailAddress()
                + " "
                + e.getComment());
      }
    }
    return lines;
  }

  @Seeds(6)
  void reflogs_are_those_of_RefDirectory(long seed) throws Exception {
    Random random = new Random(seed);
    List<String> done = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      long step = random.nextLong();
      String expected = operate(theirs, new Random(step), i);
      done.add(i + ": " + expected);
      String what = "seed " + seed + ", " + done;
      assertThat(operate(ours, new Random(step), i)).as(what).isEqualTo(expected);
      if (random.nextInt(12) == 0) {
        ours.getRefDatabase().compact();
      }
      for (String name : NAMES) {
        assertThat(reflog(ours, name)).as(name + ", " + what).isEqualTo(reflog(theirs, name));
      }
      assertThat(reflog(ours, "HEAD")).as("HEAD, " + what).isEqualTo(reflog(theirs, "HEAD"));
    }
  }

  @Test
  void reflog_of_a_ref_that_one_batch_deletes_and_creates_begins_anew() throws Exception {
    for (Repository r : List.of(ours, theirs)) {
      TestRepositories.force(r, "refs/heads/a", commits.get(0));
      BatchRefUpdate batch = r.getRefDatabase().newBatchUpdate();
      batch.setAtomic(false);
      batch.setRefLogIdent(who(1));
      batch.setRefLogMessage("push", true);
      batch.addCommand(
          new ReceiveCommand(ObjectId.zeroId(), commits.get(1), "refs/heads/a"),
          new ReceiveCommand(commits.get(0), ObjectId.zeroId(), "refs/heads/a"));
      TestRepositories.execute(r, batch);
      assertThat(batch.getCommands()).allMatch(c -> c.getResult() == ReceiveCommand.Result.OK);
      assertThat(r.exactRef("refs/heads/a").getObjectId()).isEqualTo(commits.get(1));
    }
    assertThat(reflog(ours, "refs/heads/a")).isEqualTo(reflog(theirs, "refs/heads/a")).hasSize(1);
    ours.getRefDatabase().compact();
    assertThat(reflog(ours, "refs/heads/a")).isEqualTo(reflog(theirs, "refs/heads/a"));
  }

  @Test
  @SuppressWarnings("deprecation")
  void the_repository_finds_reflogs_and_what_they_say_of_the_past() throws Exception {
    for (Repository r : List.of(ours, theirs)) {
      for (ObjectId id : commits) {
        RefUpdate update = r.updateRef("refs/heads/a");
        update.setNewObjectId(id);
        update.setRefLogMessage("push", false);
        update.forceUpdate();
      }
      assertThat(r.getReflogReader("refs/heads/a").getLastEntry().getComment()).isEqualTo("push");
      assertThat(r.getReflogReader("a")).isNull();
      assertThat(r.getReflogReader("refs/heads/none")).isNull();
      assertThat(r.getReflogReader(r.exactRef("refs/heads/a")).getReverseEntries()).hasSize(4);
      assertThat(r.resolve("a@{2}")).isEqualTo(commits.get(1));
    }
  }
}
