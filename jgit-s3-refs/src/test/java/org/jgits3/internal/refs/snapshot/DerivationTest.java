// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.lib.RefUpdate;
import org.jgits3.TestRepositories;
import org.jgits3.internal.store.file.DirectoryObjectStore;
import org.jgits3.internal.store.metrics.RequestCounts;
import org.jgits3.metrics.Count;
import org.jgits3.testing.Holds;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Snapshots that another process wrote, made here from what is known instead of downloaded. */
@Holds("Derivation: A derived table has the bytes of the snapshot")
class DerivationTest extends DerivationTestCase {
  private static final int REFS = 6000;

  private static final String MASTER = "refs/heads/master";

  @TempDir Path directory;

  @BeforeEach
  void create() throws Exception {
    create(new DirectoryObjectStore(directory), new DirectoryObjectStore(directory));
    TestRepositories.createAll(writer, first, REFS, i -> "refs/changes/" + i + "/1");
    openCompacted();
  }

  private void update(String name, ObjectId id) throws IOException {
    TestRepositories.force(writer, name, id);
  }

  private void delete(String name) throws IOException {
    assertThat(TestRepositories.delete(writer, name)).isEqualTo(RefUpdate.Result.FORCED);
  }

  private long requestsOf(String name, ObjectId expected) throws IOException {
    RequestCounts.Snapshot before = counts.snapshot();
    Ref ref = reader.exactRef(name);
    assertThat(ref == null ? null : ref.getObjectId()).isEqualTo(expected);
    return counts.snapshot().since(before).total();
  }

  @Test
  void a_compaction_elsewhere_costs_a_reader_of_the_overlay_one_request() throws Exception {
    assertThat(requestsOf("refs/changes/7/1", first)).isPositive();
    update(MASTER, first);
    update("refs/changes/9/1", second);
    delete("refs/changes/8/1");
    assertThat(requestsOf(MASTER, first)).isEqualTo(1);
    writer.getRefDatabase().compact();

    assertThat(requestsOf("refs/changes/9/1", second)).isEqualTo(1);
    assertThat(requestsOf("refs/changes/8/1", null)).isEqualTo(1);
    assertThat(here.counters().of(Count.DERIVATIONS)).isEqualTo(1);
    assertThat(here.counters().of(Count.DOWNLOADS)).isEqualTo(1);
    assertSameRefs();
  }

  @Test
  void a_compaction_elsewhere_costs_a_process_that_only_wrote_one_request() throws Exception {
    requestsOf(MASTER, null);
    RefUpdate own = reader.updateRef("refs/heads/own");
    own.setNewObjectId(first);
    assertThat(own.update()).isEqualTo(RefUpdate.Result.NEW);
    writer.getRefDatabase().compact();

    assertThat(requestsOf("refs/heads/own", first)).isEqualTo(1);
    assertThat(here.counters().of(Count.DERIVATIONS)).isEqualTo(1);
    assertSameRefs();
  }

  @Test
  void changes_made_during_the_compaction_do_not_keep_it_from_being_derived() throws Exception {
    requestsOf(MASTER, null);
    update(MASTER, first);
    requestsOf(MASTER, first);
    writer.getRefDatabase().compact();
    update("refs/heads/later", second);

    assertThat(requestsOf("refs/heads/later", second)).isEqualTo(1);
    assertThat(here.counters().of(Count.DERIVATIONS)).isEqualTo(1);
    assertSameRefs();
  }

  @Test
  void a_reader_that_missed_the_overlay_downloads() throws Exception {
    requestsOf(MASTER, null);
    update(MASTER, first);
    update("refs/changes/9/1", second);
    writer.getRefDatabase().compact();

    assertThat(requestsOf(MASTER, first)).isEqualTo(2);
    assertThat(here.counters().of(Count.DERIVATIONS)).isZero();
    assertThat(here.counters().of(Count.DOWNLOADS)).isEqualTo(2);
    assertSameRefs();
  }

  @Test
  void a_reader_that_missed_two_compactions_downloads() throws Exception {
    requestsOf(MASTER, null);
    update(MASTER, first);
    writer.getRefDatabase().compact();
    update(MASTER, second);
    writer.getRefDatabase().compact();

    assertThat(requestsOf(MASTER, second)).isEqualTo(2);
    assertThat(here.counters().of(Count.DOWNLOADS)).isEqualTo(2);
    assertSameRefs();
  }
}
