// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack.connectivity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.jgits3.TestRepositories.commitOf;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.eclipse.jgit.errors.IncorrectObjectTypeException;
import org.eclipse.jgit.errors.MissingObjectException;
import org.eclipse.jgit.lib.AnyObjectId;
import org.eclipse.jgit.lib.BatchRefUpdate;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.FileMode;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectInserter;
import org.eclipse.jgit.lib.ObjectLoader;
import org.eclipse.jgit.lib.ObjectReader;
import org.eclipse.jgit.lib.TreeFormatter;
import org.eclipse.jgit.transport.ReceiveCommand;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.store.MemoryObjectStore;
import org.jgits3.testing.Holds;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests that missing objects are found, and that complete histories pass. */
class ConnectivityTest {
  private static final ObjectId MISSING =
      ObjectId.fromString("1234567890123456789012345678901234567890");

  @AutoClose private S3RepositoryManager manager;
  @AutoClose private S3Repository repository;

  @BeforeEach
  void create() throws Exception {
    manager = TestRepositories.manager(new MemoryObjectStore());
    repository = manager.createRepository("r");
  }

  /** A reader that notes what is opened. */
  private static final class NotingReader extends OneReader {
    private final Set<ObjectId> opened = new HashSet<>();

    NotingReader(ObjectReader reader) {
      super(reader);
    }

    @Override
    public ObjectLoader open(AnyObjectId id, int typeHint) throws IOException {
      opened.add(id.copy());
      return super.open(id, typeHint);
    }
  }

  private Set<ObjectId> check(ObjectId... tips) throws IOException {
    return check(new OneReader.Collected(Set.of()), tips);
  }

  private Set<ObjectId> check(OneReader.Collected collected, ObjectId... tips) throws IOException {
    try (ObjectReader blobs = repository.newObjectReader();
        NotingReader reader = new NotingReader(repository.newObjectReader())) {
      new Connectivity(
              reader,
              repository.getRefDatabase(),
              collected,
              id -> blobs.open(id).getType() == Constants.OBJ_BLOB)
          .check(List.of(tips));
      return reader.opened;
    }
  }

  private void assertLackWhatIsMissing(List<ObjectId> tips) {
    for (ObjectId tip : tips) {
      assertThatThrownBy(() -> check(tip))
          .isInstanceOf(MissingObjectException.class)
          .hasMessageContaining(MISSING.name());
    }
  }

  private ObjectId insert(TestRepositories.Insertion insertion) throws IOException {
    return TestRepositories.insert(repository, insertion);
  }

  /** Commits one after the other, without a parent or each on the one before. */
  private List<ObjectId> commits(int count, boolean chained, ObjectId... first) throws IOException {
    List<ObjectId> ids = new ArrayList<>();
    try (ObjectInserter inserter = repository.newObjectInserter()) {
      ObjectId tree = inserter.insert(new TreeFormatter());
      ObjectId[] parents = first;
      for (int i = 0; i < count; i++) {
        ids.add(inserter.insert(commitOf(tree, "commit " + i, parents)));
        parents = chained ? new ObjectId[] {ids.get(i)} : first;
      }
      inserter.flush();
    }
    return ids;
  }

  private void branches(List<ObjectId> tips) throws IOException {
    BatchRefUpdate batch = repository.getRefDatabase().newBatchUpdate();
    for (int i = 0; i < tips.size(); i++) {
      batch.addCommand(
          new ReceiveCommand(ObjectId.zeroId(), tips.get(i), Constants.R_HEADS + "b" + i));
    }
    TestRepositories.execute(repository, batch);
    TestRepositories.assertAllOk(batch);
  }

  @Test
  void a_few_commits_on_a_branch_cost_the_same_beside_many_branches() throws Exception {
    List<ObjectId> tips = commits(300, false);
    branches(tips);
    List<ObjectId> more = commits(3, true, tips.get(7));
    Set<ObjectId> opened = check(more.get(2));
    assertThat(opened).containsAll(more).hasSizeLessThanOrEqualTo(3 + 1 + 1); // parent and tree
    assertThat(check(tips.get(9))).as("a branch is complete").isEmpty();
  }

  @Test
  void a_long_history_is_followed_down_to_the_branches() throws Exception {
    List<ObjectId> first = commits(1, true);
    branches(first);
    List<ObjectId> more = commits(1500, true, first.get(0));
    assertThat(check(more.get(1499))).containsAll(more);
    ObjectId tag = TestRepositories.tag(repository, "v1", more.get(1499));
    assertThat(check(tag, more.get(1200), first.get(0))).contains(tag).containsAll(more);
  }

  @Test
  void what_a_collection_has_packed_ends_the_walk_however_long_it_is() throws Exception {
    List<ObjectId> old = commits(3, true);
    List<ObjectId> more = commits(1500, true, old.get(2));
    OneReader.Collected collected = new OneReader.Collected(Set.of(old.get(2)));
    assertThat(check(collected, more.get(1499))).containsAll(more).doesNotContain(old.get(1));
    assertThat(check(collected, old.get(2))).isEmpty();
  }

  @Test
  void history_of_a_branch_is_not_walked_however_old_the_last_collection_is() throws Exception {
    List<ObjectId> old = commits(2, true);
    List<ObjectId> trees = new ArrayList<>();
    List<ObjectId> more = new ArrayList<>();
    try (ObjectInserter inserter = repository.newObjectInserter()) {
      ObjectId parent = old.get(1);
      for (int i = 0; i < 2400; i++) {
        TreeFormatter tree = TestRepositories.tree("module" + i, FileMode.GITLINK, old.get(1));
        trees.add(inserter.insert(tree));
        parent = inserter.insert(commitOf(trees.get(i), "commit " + i, parent));
        more.add(parent);
      }
      inserter.flush();
    }
    OneReader.Collected collected = new OneReader.Collected(Set.of(old.get(1)));
    assertThat(check(collected, more.get(1199))).containsAll(trees.subList(0, 1200));
    branches(more.subList(2399, 2400));
    assertThat(check(collected, more.get(1199)))
        .containsAll(more)
        .doesNotContainAnyElementsOf(trees)
        .doesNotContain(old.get(0));
  }

  @Holds("Connectivity: An update fails only for missing objects that its own values lead to")
  @Test
  void a_ref_to_a_missing_object_fails_no_update_that_does_not_lead_there() throws Exception {
    List<ObjectId> old = commits(2, true);
    List<ObjectId> more = commits(1500, true, old.get(1));
    List<ObjectId> broken = commits(3, true, MISSING);
    branches(broken.subList(2, 3));
    for (OneReader.Collected collected :
        List.of(new OneReader.Collected(Set.of()), new OneReader.Collected(Set.of(old.get(1))))) {
      assertThat(check(collected, more.get(1499))).containsAll(more);
      assertThatThrownBy(() -> check(collected, commits(1500, true, broken.get(1)).get(1499)))
          .as("what leads there does")
          .isInstanceOf(MissingObjectException.class)
          .hasMessageContaining(MISSING.name());
    }
  }

  @Test
  void only_what_a_commit_changes_is_looked_at() throws Exception {
    ObjectId base;
    ObjectId changed;
    ObjectId other;
    ObjectId directory;
    try (ObjectInserter inserter = repository.newObjectInserter()) {
      other = inserter.insert(directory(inserter, "other", 20));
      directory = inserter.insert(directory(inserter, "directory", 20));
      base = inserter.insert(commitOf(root(inserter, other, directory), "base"));
      ObjectId next = inserter.insert(directory(inserter, "changed", 20));
      changed = inserter.insert(commitOf(root(inserter, other, next), "changed", base));
      inserter.flush();
    }
    assertThat(check(changed)).as("of a root commit all is").contains(other, directory);
    branches(List.of(base));
    assertThat(check(changed))
        .contains(changed, base, directory)
        .doesNotContain(other)
        .hasSize(2 + 2 + 2); // commits, their trees, and the directory before and after
  }

  /** A directory with files, the first of which has content of its own. */
  private static TreeFormatter directory(ObjectInserter inserter, String name, int files)
      throws IOException {
    TreeFormatter tree = new TreeFormatter();
    for (int i = 10; i < 10 + files; i++) {
      byte[] content = (i == 10 ? name : "file " + i).getBytes(StandardCharsets.US_ASCII);
      tree.append("file" + i, FileMode.REGULAR_FILE, inserter.insert(Constants.OBJ_BLOB, content));
    }
    return tree;
  }

  private static ObjectId root(ObjectInserter inserter, ObjectId a, ObjectId b) throws IOException {
    TreeFormatter tree = new TreeFormatter();
    tree.append("a", FileMode.TREE, a);
    tree.append("b", FileMode.TREE, b);
    return inserter.insert(tree);
  }

  @Test
  void a_directory_that_was_renamed_is_not_looked_into() throws Exception {
    ObjectId base;
    ObjectId renamed;
    ObjectId directory;
    try (ObjectInserter inserter = repository.newObjectInserter()) {
      directory = inserter.insert(directory(inserter, "directory", 3));
      ObjectId other = inserter.insert(directory(inserter, "other", 3));
      base = inserter.insert(commitOf(root(inserter, directory, other), "base"));
      TreeFormatter root = new TreeFormatter();
      root.append("b", FileMode.TREE, other);
      root.append("c", FileMode.TREE, directory);
      renamed = inserter.insert(commitOf(inserter.insert(root), "renamed", base));
      inserter.flush();
    }
    branches(List.of(base));
    assertThat(check(renamed)).contains(renamed, base).hasSize(2 + 2); // and their trees
  }

  @Test
  void an_id_is_not_taken_for_known_that_was_met_as_something_else() throws Exception {
    ObjectId base;
    ObjectId mistaken;
    List<ObjectId> lacking = new ArrayList<>();
    try (ObjectInserter inserter = repository.newObjectInserter()) {
      TreeFormatter directory = TestRepositories.tree("file", FileMode.REGULAR_FILE, MISSING);
      ObjectId tree = inserter.insert(directory);
      TreeFormatter odd = new TreeFormatter();
      odd.append("a", FileMode.REGULAR_FILE, tree);
      odd.append("b", FileMode.GITLINK, MISSING);
      base = inserter.insert(commitOf(inserter.insert(odd), "base"));
      TreeFormatter same = new TreeFormatter();
      same.append("a", FileMode.REGULAR_FILE, tree);
      same.append("c", FileMode.TREE, tree);
      mistaken = inserter.insert(commitOf(inserter.insert(same), "known as a file"));
      TreeFormatter next = TestRepositories.tree("a", FileMode.TREE, tree);
      lacking.add(inserter.insert(commitOf(inserter.insert(next), "a file before", base)));
      TreeFormatter linked = TestRepositories.tree("b", FileMode.REGULAR_FILE, MISSING);
      lacking.add(inserter.insert(commitOf(inserter.insert(linked), "a link before", base)));
      inserter.flush();
    }
    branches(List.of(base));
    assertLackWhatIsMissing(lacking);
    assertThatThrownBy(() -> check(mistaken))
        .isInstanceOf(IncorrectObjectTypeException.class)
        .hasMessageContaining("is not a blob");
  }

  @Test
  void whatever_is_missing_is_named() throws Exception {
    ObjectId child = commits(1, true, MISSING).get(0);
    ObjectId treeless = insert(to -> to.insert(commitOf(MISSING, "no tree")));
    TreeFormatter tree = TestRepositories.tree("file", FileMode.REGULAR_FILE, MISSING);
    ObjectId blobless = insert(to -> to.insert(commitOf(to.insert(tree), "no blob")));
    ObjectId tag = TestRepositories.tag(repository, "v1", child);
    assertLackWhatIsMissing(List.of(MISSING, child, treeless, blobless, tag));
  }
}
