// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectIdRef;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.lib.RefUpdate;
import org.eclipse.jgit.lib.RefUpdate.Result;
import org.eclipse.jgit.lib.SymbolicRef;
import org.eclipse.jgit.transport.ReceiveCommand;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.store.MemoryObjectStore;
import org.jgits3.store.ObjectStore;
import org.jgits3.testing.Holds;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Symbolic refs that are made at the same time, and the events that listeners hear. */
@Holds(
    "S3RefUpdate, FirstBranch: A link prepared before another change, or expecting another "
        + "object, changes nothing. A server sets an unborn `HEAD` once.")
class LinkAndEventsTest {
  private static final String MASTER = "refs/heads/master";
  private static final String OTHER = "refs/heads/other";

  private final ObjectStore store = new MemoryObjectStore();
  @AutoClose private final S3RepositoryManager manager;
  @AutoClose private final S3Repository repository;
  private final ObjectId first;
  private final ObjectId second;

  LinkAndEventsTest() throws Exception {
    manager = TestRepositories.manager(store);
    repository = manager.createRepository("r");
    first = TestRepositories.commit(repository, "first");
    second = TestRepositories.commit(repository, "second");
    set(MASTER, first);
    set(OTHER, first);
  }

  private void set(String name, ObjectId id) throws IOException {
    TestRepositories.force(repository, name, id);
  }

  private static ReceiveCommand.Result execute(S3Repository handle, ReceiveCommand command)
      throws IOException {
    TestRepositories.batch(handle, true, command);
    return command.getResult();
  }

  @Test
  void a_link_that_was_prepared_before_another_was_made_fails() throws Exception {
    RefUpdate prepared = repository.updateRef(Constants.HEAD);
    assertThat(repository.updateRef(Constants.HEAD).link(OTHER)).isEqualTo(Result.FORCED);
    assertThat(prepared.link("refs/heads/third")).isEqualTo(Result.LOCK_FAILURE);
    assertThat(repository.exactRef(Constants.HEAD).getTarget().getName()).isEqualTo(OTHER);
  }

  @Test
  void a_link_replaces_HEAD_though_its_branch_has_moved_since_it_was_prepared() throws Exception {
    RefUpdate prepared = repository.updateRef(Constants.HEAD);
    set(MASTER, second);
    assertThat(prepared.link(OTHER)).isEqualTo(Result.FORCED);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void a_link_replaces_one_made_elsewhere_before_it_was_prepared(boolean detach) throws Exception {
    try (S3RepositoryManager there = TestRepositories.manager(store);
        S3Repository remote = there.openRepository("r")) {
      assertThat(remote.updateRef(Constants.HEAD).link(OTHER)).isEqualTo(Result.FORCED);
    }
    assertThat(repository.updateRef(Constants.HEAD, detach).link("refs/heads/third"))
        .isEqualTo(Result.FORCED);
  }

  @Test
  void a_link_fails_unless_the_ref_leads_to_what_is_expected() throws Exception {
    RefUpdate born = repository.updateRef(Constants.HEAD);
    born.setExpectedOldObjectId(ObjectId.zeroId());
    assertThat(born.link(OTHER)).isEqualTo(Result.LOCK_FAILURE);
    RefUpdate expected = repository.updateRef(Constants.HEAD);
    expected.setExpectedOldObjectId(first);
    assertThat(expected.link(OTHER)).isEqualTo(Result.FORCED);
  }

  @Test
  void a_ref_that_is_not_peeled_is_peeled_through_its_links() throws Exception {
    ObjectId tag = TestRepositories.tag(repository, "v1", first);
    Ref leaf = new ObjectIdRef.Unpeeled(Ref.Storage.LOOSE, "refs/tags/v1", tag);
    Ref link = new SymbolicRef("refs/tags/new", new SymbolicRef("refs/tags/latest", leaf));
    Ref peeled = repository.getRefDatabase().peel(link);
    assertThat(peeled.getPeeledObjectId()).isEqualTo(first);
    assertThat(peeled.getName()).isEqualTo("refs/tags/new");
    assertThat(peeled.getTarget().getName()).isEqualTo("refs/tags/latest");
    assertThat(peeled.getLeaf().getName()).isEqualTo("refs/tags/v1");

    Ref branch = new ObjectIdRef.Unpeeled(Ref.Storage.LOOSE, MASTER, first);
    assertThat(repository.getRefDatabase().peel(branch).isPeeled()).isTrue();
    assertThat(repository.getRefDatabase().peel(branch).getPeeledObjectId()).isNull();
  }

  @Holds("S3RefDatabase: A transaction that changes no ref fires no event")
  @Test
  void first_operation_of_a_handle_fires_an_event_only_if_it_changes_a_ref() throws Exception {
    AtomicInteger events = new AtomicInteger();
    try (S3Repository fresh = manager.openRepository("r")) {
      fresh.getListenerList().addRefsChangedListener(event -> events.incrementAndGet());
      assertThat(execute(fresh, new ReceiveCommand(second, first, MASTER)))
          .isNotEqualTo(ReceiveCommand.Result.OK);
      assertThat(events).hasValue(0);
    }
    try (S3Repository fresh = manager.openRepository("r")) {
      fresh.getListenerList().addRefsChangedListener(event -> events.incrementAndGet());
      assertThat(execute(fresh, new ReceiveCommand(first, ObjectId.zeroId(), OTHER)))
          .isEqualTo(ReceiveCommand.Result.OK);
      assertThat(events).hasValue(1);
    }
  }
}
