// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jgits3.internal.catalog.RepositoryCatalog;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.manifest.VersionedManifest;
import org.jgits3.metrics.Count;
import org.jgits3.metrics.Counters;
import org.jgits3.store.DelegatingObjectStore;
import org.jgits3.store.GetResult;
import org.jgits3.store.ObjectVersion;
import org.jgits3.store.RestampingStore;
import org.jgits3.store.StoreException;
import org.jgits3.testing.Holds;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Manifests read through a path whose versions mean nothing. */
@Holds(
    "ManifestFile: Where versions are not trusted, bytes read after a look-up arrived decide "
        + "whether manifest and table are the same. Equal tables are not parsed again.")
@Holds(
    "CommitLoop: A commit whose base has a new version uses that one, unless an attempt is in "
        + "doubt")
@Timeout(300)
class UntrustedManifestTest {
  private static final RepositoryName NAME = RepositoryName.of("r");
  private static final Duration DEADLINE = Duration.ofSeconds(30);

  private final ScriptedStore objects = new ScriptedStore();
  private final RestampingStore store = new RestampingStore(objects);
  private final Counters metrics = new Counters();
  private ManifestCommitter committer;
  private ManifestCommitter other;

  @BeforeEach
  void create_the_repository() throws IOException {
    Register.create(new RepositoryCatalog(store, DEADLINE), NAME);
    committer = StoredManifest.committer(store, NAME, DEADLINE, false, metrics);
    other = StoredManifest.committer(store, NAME, DEADLINE);
  }

  private static Register.Report set(ManifestCommitter committer, String value) throws IOException {
    return committer.commit(Register.set("op" + value, value));
  }

  @Test
  void equal_bytes_are_the_same_manifest_and_bring_the_newest_version() throws IOException {
    VersionedManifest first = committer.validate();
    store.restamp();
    VersionedManifest second = committer.validate();
    assertThat(second.manifest()).isSameAs(first.manifest());
    assertThat(second.version()).isNotEqualTo(first.version());
    assertThat(committer.cached()).contains(second);
    assertThat(metrics.of(Count.DECODINGS)).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void a_commit_does_not_insist_on_a_version_that_the_bytes_have_no_more(boolean trusted)
      throws IOException {
    committer = StoredManifest.committer(store, NAME, DEADLINE, trusted, metrics);
    committer.validate();
    store.restamp();
    assertThat(set(committer, "5")).isEqualTo(Register.Report.OK);
    assertThat(objects.puts()).as("two of the creation, and one that won").hasSize(3);
  }

  @Test
  void an_unchanged_version_proves_nothing() throws IOException {
    List<GetResult.Found> stale = new ArrayList<>();
    DelegatingObjectStore lying =
        new DelegatingObjectStore(store) {
          @Override
          public GetResult get(String key, Optional<ObjectVersion> known) throws IOException {
            assertThat(known).as("no condition").isEmpty();
            GetResult.Found found = (GetResult.Found) super.get(key, known);
            stale.add(found);
            return new GetResult.Found(found.bytes(), stale.get(0).version());
          }
        };
    committer = StoredManifest.committer(lying, NAME, DEADLINE, false, metrics);
    committer.validate();
    set(other, "5");
    assertThat(committer.validate().manifest().generation())
        .isEqualTo(other.cached().orElseThrow().manifest().generation());
  }

  @Test
  void what_was_committed_here_need_not_be_parsed() throws IOException {
    committer.validate();
    set(committer, "5");
    Manifest made = committer.cached().orElseThrow().manifest();
    assertThat(committer.validate().manifest()).isSameAs(made);
    assertThat(metrics.of(Count.DECODINGS)).isEqualTo(1);
  }

  @Test
  void a_failed_look_up_leaves_what_is_known() throws IOException {
    Manifest first = committer.validate().manifest();
    objects.nextGet(ScriptedStore.UNREADABLE);
    assertThatThrownBy(committer::validate).isInstanceOf(StoreException.Unavailable.class);
    assertThat(committer.validate().manifest()).isSameAs(first);
    assertThat(metrics.of(Count.DECODINGS)).isEqualTo(1);
  }
}
