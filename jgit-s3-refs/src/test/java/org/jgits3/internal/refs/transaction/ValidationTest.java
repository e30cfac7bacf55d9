// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.eclipse.jgit.errors.RepositoryNotFoundException;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.RefUpdate;
import org.eclipse.jgit.lib.Repository;
import org.jgits3.Purpose;
import org.jgits3.S3Repository;
import org.jgits3.TestRepositories;
import org.jgits3.TwoProcesses;
import org.jgits3.internal.store.file.DirectoryObjectStore;
import org.jgits3.internal.store.metrics.ObservedObjectStore;
import org.jgits3.internal.store.metrics.RequestCounts;
import org.jgits3.store.Freshness;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.RequestKind;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the requests of look-ups, and of the changes that they may miss. */
class ValidationTest extends TwoProcesses {
  private static final String REF = "refs/heads/master";

  @TempDir Path directory;
  private final RequestCounts counts = new RequestCounts();

  @Override
  protected ObjectStore store() throws IOException {
    return new DirectoryObjectStore(directory);
  }

  @Override
  protected ObjectStore storeHere() throws IOException {
    return new ObservedObjectStore(store(), counts);
  }

  @BeforeEach
  void create() throws Exception {
    update(there, first);
  }

  private static RefUpdate.Result update(Repository r, ObjectId id) throws IOException {
    return TestRepositories.update(r, REF, id);
  }

  private ObjectId lookUp() throws IOException {
    return here.exactRef(REF).getObjectId();
  }

  private long gets() {
    return counts.snapshot().of(RequestKind.GET);
  }

  @Test
  void after_open_costs_one_request_for_all_look_ups_of_a_handle() throws Exception {
    open("afterOpen"); // which asks, since the repository is not known
    long before = gets();
    assertThat(lookUp()).isEqualTo(first);
    update(there, second);
    assertThat(lookUp()).isEqualTo(first);
    assertThat(here.getRefDatabase().getRefs()).isNotEmpty();
    assertThat(gets() - before).isZero();
    try (S3Repository again = manager.openRepository("r")) {
      assertThat(again.exactRef(REF).getObjectId()).isEqualTo(second);
      update(there, TestRepositories.commit(there, "third", second));
      assertThat(again.exactRef(REF).getObjectId()).isEqualTo(second);
      assertThat(gets() - before).isEqualTo(1);
    }
  }

  @Test
  void a_request_does_not_find_a_repository_that_was_deleted_before_it() throws Exception {
    open("always");
    lookUp();
    long began = System.nanoTime();
    manager.openRepository("r", Purpose.request(began)).close();
    elsewhere.delete("r");
    assertThatThrownBy(() -> manager.openRepository("r", Purpose.request(System.nanoTime())))
        .isInstanceOf(RepositoryNotFoundException.class);
    assertThatThrownBy(() -> manager.openRepository("r", Purpose.request(began)))
        .isInstanceOf(RepositoryNotFoundException.class);
  }

  @Test
  void a_refresh_shows_the_refs_of_that_moment() throws Exception {
    for (String validate : new String[] {"always", "afterOpen", "1 h"}) {
      open(validate);
      try (S3Repository opened = manager.openRepository("r");
          S3Repository request = manager.openRepository("r", Purpose.request())) {
        for (S3Repository r : new S3Repository[] {here, opened, request}) {
          ObjectId news = TestRepositories.commit(there, "news", there.resolve(REF));
          update(there, news);
          r.getRefDatabase().refresh();
          assertThat(r.exactRef(REF).getObjectId()).as(validate).isEqualTo(news);
        }
      }
      here.close();
      manager.close();
    }
  }

  @Test
  void within_the_window_look_ups_cost_nothing() throws Exception {
    open("1 h");
    lookUp();
    long before = counts.snapshot().total();
    update(there, second);
    for (int i = 0; i < 100; i++) {
      assertThat(lookUp()).isEqualTo(first);
    }
    assertThat(counts.snapshot().total()).isEqualTo(before);
    here.scanForRepoChanges();
    assertThat(lookUp()).isEqualTo(second);
  }

  @Test
  void updates_are_decided_on_validated_refs_whatever_look_ups_do() throws Exception {
    open("1 h");
    assertThat(lookUp()).isEqualTo(first);
    update(there, second);
    assertThat(update(here, second)).isEqualTo(RefUpdate.Result.NO_CHANGE);
    RefUpdate stale = here.updateRef(REF);
    stale.setExpectedOldObjectId(first);
    stale.setNewObjectId(first);
    stale.setForceUpdate(true);
    assertThat(stale.update()).isEqualTo(RefUpdate.Result.LOCK_FAILURE);
    assertThat(lookUp()).isEqualTo(second);
  }

  @Test
  void an_update_that_was_not_attempted_shows_the_value_of_a_look_up() throws Exception {
    open("always");
    lookUp();
    update(there, second);
    RefUpdate u = here.updateRef(REF);
    assertThat(u.getOldObjectId()).isEqualTo(second);
    assertThat(u.getRef().getObjectId()).isEqualTo(second);
  }

  @Test
  void an_update_shows_the_value_it_replaced() throws Exception {
    open("1 h");
    assertThat(lookUp()).isEqualTo(first);
    update(there, second);
    RefUpdate u = here.updateRef(REF);
    u.setNewObjectId(first);
    assertThat(u.forceUpdate()).isEqualTo(RefUpdate.Result.FORCED);
    assertThat(u.getOldObjectId()).isEqualTo(second);
  }

  @Test
  void an_update_is_not_refused_for_what_the_ref_was_before() throws Exception {
    ObjectId side = TestRepositories.commit(there, "side", second);
    open("1 h");
    assertThat(lookUp()).isEqualTo(first);
    update(there, second);
    RefUpdate expecting = here.updateRef(REF);
    expecting.setExpectedOldObjectId(second);
    expecting.setNewObjectId(side);
    assertThat(expecting.update()).isEqualTo(RefUpdate.Result.FAST_FORWARD);

    assertThat(TestRepositories.delete(there, REF)).isEqualTo(RefUpdate.Result.FORCED);
    assertThat(TestRepositories.delete(here, REF))
        .as("the ref is gone")
        .isEqualTo(RefUpdate.Result.NEW);
    assertThat(TestRepositories.update(here, REF, first)).isEqualTo(RefUpdate.Result.NEW);
  }

  @Test
  void what_is_written_within_the_window_is_named_after_the_last_sweep() throws Exception {
    open("1 h");
    lookUp();
    elsewhere.sweep("r", Duration.ZERO, false);
    elsewhere.sweep("r", Duration.ZERO, false);
    for (Purpose purpose : new Purpose[] {Purpose.request(), Purpose.ANY}) {
      try (S3Repository r = manager.openRepository("r", purpose)) {
        ObjectId next = TestRepositories.commit(r, "next", r.exactRef(REF).getObjectId());
        assertThat(update(r, next)).isEqualTo(RefUpdate.Result.FAST_FORWARD);
      }
    }
  }

  @Test
  void description_is_compared_with_the_newest_unless_the_operation_has_asked() throws Exception {
    for (String validate : new String[] {"always", "afterOpen", "1 h"}) {
      open(validate);
      here.setGitwebDescription("x");
      lookUp();
      try (S3Repository push = manager.openRepository("r", Purpose.push())) {
        for (S3Repository r : new S3Repository[] {push, here}) {
          there.setGitwebDescription("y");
          r.setGitwebDescription("x");
          there.validate(Freshness.ALWAYS);
          assertThat(there.getGitwebDescription()).as(validate).isEqualTo("x");
        }
      }
      here.close();
      manager.close();
    }
  }
}
