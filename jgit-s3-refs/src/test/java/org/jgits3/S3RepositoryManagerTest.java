// SPDX-License-Identifier: Apache-2.0
package org.jgits3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.jgits3.TestRepositories.force;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.eclipse.jgit.errors.RepositoryNotFoundException;
import org.eclipse.jgit.events.RefsChangedEvent;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectInserter;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.lib.RefUpdate;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.lib.StoredConfig;
import org.jgits3.internal.store.file.DirectoryObjectStore;
import org.jgits3.internal.store.metrics.ObservedObjectStore;
import org.jgits3.internal.store.metrics.RequestCounts;
import org.jgits3.manifest.ManifestException;
import org.jgits3.store.DelegatingObjectStore;
import org.jgits3.store.MemoryObjectStore;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.Precondition;
import org.jgits3.store.PutOutcome;
import org.jgits3.store.RequestKind;
import org.jgits3.store.StoreException;
import org.jgits3.testing.Holds;
import org.jgits3.testing.aid.RandomBytes;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One manager here and one elsewhere, as two processes on one store have them. */
@Holds(
    "ManifestCommitter, KnownRepositories, S3RepositoryManager: A deleted repository is not "
        + "opened from memory. A process that deleted or renamed it asks the store at each look-up.")
@Holds(
    "S3Reader: A missing object, or one of a vanished pack, is looked for in newer packs before "
        + "it is reported")
class S3RepositoryManagerTest {
  @TempDir Path directory;
  @AutoClose private S3RepositoryManager manager;
  @AutoClose private S3RepositoryManager elsewhere;

  @BeforeEach
  void open() throws Exception {
    manager = TestRepositories.manager(directory);
    elsewhere = TestRepositories.manager(directory);
  }

  @Test
  void a_new_repository_has_an_unborn_branch() throws Exception {
    try (S3Repository r = manager.createRepository("a/b.git")) {
      assertThat(r.exists()).isTrue();
      assertThat(r.isBare()).isTrue();
      assertThat(r.getFullBranch()).isEqualTo("refs/heads/master");
      Ref head = r.exactRef(Constants.HEAD);
      assertThat(head.isSymbolic()).isTrue();
      assertThat(head.getObjectId()).isNull();
      assertThat(r.getRefDatabase().getRefs()).isEmpty();
      assertThat(r.getRefDatabase().hasRefs()).isFalse();
      assertThat(r.getIdentifier()).isEqualTo("a/b");
    }
    assertThat(elsewhere.list()).containsExactly("a/b");
  }

  @Test
  void names_beyond_ASCII_are_listed() throws Exception {
    List<String> names = List.of("a", "grün", "日本", "\uE000", "\uD83D\uDE80", "g/grün");
    for (String name : names) {
      manager.createRepository(name).close();
    }
    assertThat(manager.list()).containsExactlyInAnyOrderElementsOf(names);
    List<String> below = new ArrayList<>();
    manager.forEachName("g/g", below::add);
    assertThat(below).containsExactly("g/grün");
  }

  @Test
  void a_pack_that_is_being_written_is_given_up_when_its_manager_is_closed() throws Exception {
    byte[] blob = RandomBytes.of(17 << 20, 1);
    try (S3Repository r = manager.createRepository("a");
        ObjectInserter inserter = r.newObjectInserter()) {
      inserter.insert(Constants.OBJ_BLOB, blob);
      assertThat(elsewhere.store().listMultipart("")).hasSize(1);
      manager.close();
      assertThat(elsewhere.store().listMultipart("")).isEmpty();
      assertThatThrownBy(inserter::flush).isInstanceOf(IOException.class);
    }
  }

  @Test
  void a_name_that_is_taken_missing_or_not_allowed_is_refused() throws Exception {
    manager.createRepository("a").close();
    assertThatThrownBy(() -> elsewhere.createRepository("a"))
        .isInstanceOf(ManifestException.Exists.class);
    assertThatThrownBy(() -> manager.openRepository("b"))
        .isInstanceOf(RepositoryNotFoundException.class);
    assertThatThrownBy(() -> manager.openRepository("../a"))
        .isInstanceOf(RepositoryNotFoundException.class);
    assertThatThrownBy(() -> manager.createRepository("a/../b"))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> manager.delete("b")).isInstanceOf(ManifestException.Gone.class);
  }

  @Test
  void the_configuration_is_stored() throws Exception {
    try (S3Repository here = manager.createRepository("r");
        S3Repository there = elsewhere.openRepository("r")) {
      StoredConfig config = here.getConfig();
      config.setBoolean("receive", null, "denyDeletes", true);
      config.save();
      there.scanForRepoChanges();
      assertThat(there.getConfig().getBoolean("receive", "denyDeletes", false)).isTrue();

      StoredConfig stale = here.getConfig();
      there.getConfig().setString("core", null, "x", "theirs");
      there.getConfig().save();
      stale.setString("core", null, "x", "ours");
      assertThatThrownBy(stale::save).isInstanceOf(IOException.class).hasMessageContaining("load");
    }
    try (S3Repository again = elsewhere.openRepository("r")) {
      assertThat(again.getConfig().getString("core", null, "x")).isEqualTo("theirs");
    }
  }

  @Holds(
      "ManifestConfig: `load()` gives the stored configuration, and listeners learn of each change")
  @Test
  void a_configuration_saved_here_or_elsewhere_is_loaded_and_listeners_told() throws Exception {
    try (S3Repository here = manager.createRepository("r");
        S3Repository there = elsewhere.openRepository("r")) {
      List<String> told = new ArrayList<>();
      here.getListenerList().addConfigChangedListener(event -> told.add("here"));
      there.getListenerList().addConfigChangedListener(event -> told.add("there"));
      StoredConfig config = here.getConfig();
      config.setString("core", null, "x", "1");
      assertThat(told).isEmpty();
      config.save();
      config.save();
      assertThat(told).containsExactly("here");
      StoredConfig theirs = there.getConfig();
      theirs.setString("core", null, "x", "lost");
      theirs.load();
      assertThat(theirs.getString("core", null, "x")).isEqualTo("1");
      assertThat(told).containsExactly("here", "there");
      theirs.setString("core", null, "y", "theirs");
      theirs.save();
      config.load();
      assertThat(config.getString("core", null, "y")).isEqualTo("theirs");
      assertThat(told).containsExactly("here", "there", "there", "here");
      config.setString("core", null, "x", "2");
      config.save();
      config.load();
      there.getConfig().load();
      assertThat(told).containsExactly("here", "there", "there", "here", "here", "there");
    }
  }

  @Test
  void changes_here_and_elsewhere_fire_an_event() throws Exception {
    try (S3Repository here = manager.createRepository("r");
        S3Repository there = elsewhere.openRepository("r")) {
      List<RefsChangedEvent> heard = new ArrayList<>();
      there.getListenerList().addRefsChangedListener(heard::add);
      there.getRefDatabase().getRefs();
      ObjectId id = TestRepositories.commit(here, "first");
      force(here, "refs/heads/master", id);
      assertThat(heard).isEmpty();
      there.scanForRepoChanges();
      assertThat(heard).hasSize(1);
      force(there, "refs/heads/other", id);
      assertThat(heard).hasSize(2);
      there.getRefDatabase().getRefs();
      assertThat(heard).hasSize(2);
    }
  }

  @Test
  void a_renamed_repository_keeps_everything() throws Exception {
    ObjectId id;
    try (S3Repository here = manager.createRepository("old");
        S3Repository there = elsewhere.openRepository("old")) {
      id = TestRepositories.commit(here, "first");
      force(here, "refs/heads/master", id);
      there.scanForRepoChanges();
      manager.rename("old", "new/name");
      assertThat(there.exists()).isFalse();
      assertThatThrownBy(() -> force(there, "refs/heads/x", id))
          .isInstanceOf(ManifestException.Gone.class);
    }
    assertThat(elsewhere.list()).containsExactly("new/name");
    assertThatThrownBy(() -> elsewhere.openRepository("old"))
        .isInstanceOf(RepositoryNotFoundException.class);
    try (S3Repository there = elsewhere.openRepository("new/name")) {
      assertThat(there.exactRef("refs/heads/master").getObjectId()).isEqualTo(id);
      assertThat(there.parseCommit(id).getFullMessage()).isEqualTo("first");
    }
  }

  @Test
  void a_process_that_knew_the_old_name_of_a_repository_finds_the_new_one() throws Exception {
    manager.createRepository("old").close();
    elsewhere.openRepository("old").close();
    manager.rename("old", "new");
    manager.createRepository("old").close();
    try (S3Repository renamed = elsewhere.openRepository("new", Purpose.request());
        S3Repository other = elsewhere.openRepository("old", Purpose.request())) {
      assertThat(renamed.manifest().repositoryId()).isNotEqualTo(other.manifest().repositoryId());
    }
    manager.rename("old", "another");
    assertThatThrownBy(() -> elsewhere.openRepository("old", Purpose.request()))
        .isInstanceOf(RepositoryNotFoundException.class)
        .hasCauseInstanceOf(ManifestException.Gone.class);
  }

  @Test
  void a_rename_before_the_answer_of_an_update_is_not_opened_from_memory() throws Exception {
    manager.createRepository("r").close();
    AtomicBoolean late = new AtomicBoolean();
    ObjectStore losing =
        new DelegatingObjectStore(new DirectoryObjectStore(directory)) {
          @Override
          public PutOutcome putIf(String key, byte[] body, Precondition precondition)
              throws IOException {
            PutOutcome outcome = super.putIf(key, body, precondition);
            if (!late.getAndSet(false)) {
              return outcome;
            }
            elsewhere.rename("r", "new");
            return new PutOutcome.Unknown(key + ": no answer");
          }
        };
    try (S3RepositoryManager here = TestRepositories.manager(losing);
        S3Repository r = here.openRepository("r", Purpose.request())) {
      long began = System.nanoTime();
      ObjectId commit = TestRepositories.commit(r, "commit");
      late.set(true);
      assertThat(force(r, "refs/heads/main", commit)).isEqualTo(RefUpdate.Result.NEW);

      assertThatThrownBy(() -> here.openRepository("r", Purpose.request(began)))
          .isInstanceOf(RepositoryNotFoundException.class);
      assertThatThrownBy(() -> here.openRepository("r", Purpose.push()))
          .isInstanceOf(RepositoryNotFoundException.class);
    }
  }

  @Test
  void a_name_can_be_deleted_and_used_again() throws Exception {
    try (S3Repository here = manager.createRepository("r");
        S3Repository there = elsewhere.openRepository("r")) {
      ObjectId id = TestRepositories.commit(here, "first");
      force(here, "refs/heads/master", id);
      there.scanForRepoChanges();
      manager.delete("r");
      assertThat(manager.list()).isEmpty();
      try (S3Repository again = manager.createRepository("r")) {
        assertThat(again.getRefDatabase().getRefs()).isEmpty();
        assertThat(again.getObjectDatabase().has(id)).isFalse();
      }
      assertThatThrownBy(() -> there.exactRef("refs/heads/master"))
          .isInstanceOf(ManifestException.Gone.class);
    }
    try (S3Repository reopened = elsewhere.openRepository("r")) {
      assertThat(reopened.exactRef("refs/heads/master")).isNull();
    }
  }

  /** Handles of a repository, of every kind, that have looked something up. */
  private static List<S3Repository> handles(S3RepositoryManager manager, String name)
      throws IOException {
    List<S3Repository> handles =
        List.of(
            manager.openRepository(name),
            manager.openRepository(name, Purpose.request()),
            manager.openRepository(name, Purpose.push()));
    for (S3Repository handle : handles) {
      assertThat(handle.exactRef("HEAD")).isNotNull();
    }
    return handles;
  }

  private static void assertGone(List<S3Repository> handles) {
    for (S3Repository handle : handles) {
      assertThatThrownBy(() -> handle.exactRef("HEAD")).isInstanceOf(ManifestException.Gone.class);
      assertThatThrownBy(() -> handle.setGitwebDescription("late")).isInstanceOf(IOException.class);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"always", "afterOpen", "1 h"})
  void every_handle_here_fails_after_its_repository_was_deleted_or_renamed(String validate)
      throws Exception {
    try (S3RepositoryManager here =
        TestRepositories.manager(directory, "[s3 \"refs\"]\nvalidate = " + validate)) {
      here.createRepository("r").close();
      List<S3Repository> first = handles(here, "r");
      here.delete("r");
      assertGone(first);
      here.createRepository("r").close();
      List<S3Repository> second = handles(here, "r");
      here.rename("r", "s");
      assertGone(second);
      List<S3Repository> third = handles(here, "s");
      here.createRepository("r").close();
      List<S3Repository> fourth = handles(here, "r");
      assertGone(first);
      assertGone(second);
      assertThat(fourth.get(0).getGitwebDescription()).isNull();
      first.forEach(S3Repository::close);
      second.forEach(S3Repository::close);
      third.forEach(S3Repository::close);
      fourth.forEach(S3Repository::close);
    }
  }

  @Test
  void a_known_repository_deleted_elsewhere_is_missed_by_each_look_up() throws Exception {
    elsewhere.createRepository("r").close();
    manager.openRepository("r").close();
    elsewhere.delete("r");
    try (S3Repository r = manager.openRepository("r")) {
      assertThatThrownBy(() -> r.exactRef("HEAD")).isInstanceOf(ManifestException.Gone.class);
    }
    assertThatThrownBy(() -> manager.openRepository("r"))
        .isInstanceOf(RepositoryNotFoundException.class);
    elsewhere.createRepository("r").close();
    try (S3Repository r = manager.openRepository("r")) {
      assertThat(r.exactRef("HEAD")).isNotNull();
    }
    elsewhere.delete("r");
    assertThatThrownBy(() -> manager.openRepository("r", Purpose.request()))
        .isInstanceOf(RepositoryNotFoundException.class);
    elsewhere.createRepository("r").close();
    manager.openRepository("r").close();
    elsewhere.delete("r");
    elsewhere.createRepository("r").close();
    try (S3Repository r = manager.openRepository("r", Purpose.request())) {
      assertThat(r.exactRef("HEAD")).isNotNull();
    }
  }

  @Test
  void serves_as_the_resolver_of_any_server() throws Exception {
    manager.createRepository("r").close();
    try (Repository r = manager.<Void>asResolver().open(null, "r.git")) {
      assertThat(r).isInstanceOf(S3Repository.class);
    }
    assertThatThrownBy(() -> manager.<Void>asResolver().open(null, "nope"))
        .isInstanceOf(RepositoryNotFoundException.class);
  }

  @Test
  void a_store_that_is_only_read_gets_no_write() throws Exception {
    MemoryObjectStore store = new MemoryObjectStore();
    try (S3RepositoryManager writer = TestRepositories.manager(store)) {
      writer.createRepository("r").close();
    }
    RequestCounts counts = new RequestCounts();
    S3Settings settings = S3Settings.from(new Config(), "test");
    try (S3RepositoryManager reader =
        S3RepositoryManager.openReadOnly(new ObservedObjectStore(store, counts), settings)) {
      assertThat(reader.list()).containsExactly("r");
      try (S3Repository r = reader.openRepository("r")) {
        assertThat(r.exactRef("HEAD")).isNotNull();
        assertThatThrownBy(() -> r.setGitwebDescription("x"))
            .isInstanceOf(IOException.class)
            .hasMessageContaining("was opened read-only");
      }
      assertThatThrownBy(() -> reader.createRepository("s"))
          .isInstanceOf(StoreException.Refused.class);
      assertThatThrownBy(() -> reader.delete("r")).hasMessageContaining("was opened read-only");
      assertThatThrownBy(reader::maintainInBackground)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("read-only");
    }
    assertThat(counts.snapshot().of(RequestKind.PUT)).isZero();
  }
}
