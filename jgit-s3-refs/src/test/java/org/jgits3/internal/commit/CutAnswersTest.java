// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import org.jgits3.Stores;
import org.jgits3.internal.catalog.RepositoryCatalog;
import org.jgits3.manifest.Refs;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.manifest.RepositorySettings;
import org.jgits3.manifest.UnknownOutcomeException;
import org.jgits3.store.DelegatingObjectStore;
import org.jgits3.store.GetResult;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.ObjectVersion;
import org.jgits3.store.StoreException;
import org.jgits3.store.StoreLocation;
import org.jgits3.store.StoreOptions;
import org.jgits3.testing.Holds;
import org.jgits3.testing.ReplyDroppingProxy;
import org.jgits3.testing.S3Server;
import org.jgits3.testing.S3Servers;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Commits over a line that cuts manifests off while they are read. */
@Holds(
    "S3ObjectStore, S3Failure, CommitLoop: A truncated body is read again. Only a complete body "
        + "with a wrong checksum is corrupt.")
class CutAnswersTest {
  private static final RepositoryName NAME = RepositoryName.of("r");

  /** Text that makes the manifest larger than the headers of any answer. */
  private static final String LONG = "x".repeat(16 << 10);

  /** Bytes of an answer that come through: its headers, and not the whole manifest. */
  private static final long PASSED = 8 << 10;

  /** More than the attempts that the SDK makes of one request. */
  private static final int CUTS = 5;

  private static S3Server server;
  private StoreLocation.Bucket bucket;
  @AutoClose private ObjectStore direct;

  @BeforeAll
  static void find_server() {
    server = S3Servers.require();
  }

  @BeforeEach
  void create() throws IOException {
    bucket = server.newBucket();
    direct = Stores.open(bucket, server.options());
    new RepositoryCatalog(direct, ManifestCommitter.DEADLINE)
        .create(NAME, new RepositorySettings("", LONG), Refs.NONE);
  }

  private static ReplyDroppingProxy cutting(int cuts) {
    return new ReplyDroppingProxy(server.endpoint(), "GET .*manifest.*", cuts, PASSED);
  }

  private ObjectStore through(ReplyDroppingProxy proxy) throws IOException {
    return Stores.open(
        bucket,
        new StoreOptions(Optional.of(proxy.endpoint()), Optional.of(S3Server.REGION), true, 4));
  }

  /** A store whose manifests are read over another line as soon as there is one. */
  private static final class Rerouted extends DelegatingObjectStore {
    private Optional<ObjectStore> line = Optional.empty();

    Rerouted(ObjectStore store) {
      super(store);
    }

    @Override
    public GetResult get(String key, Optional<ObjectVersion> known) throws IOException {
      return line.isPresent() ? line.get().get(key, known) : super.get(key, known);
    }
  }

  private static void raiseBoundary(ManifestCommitter committer) throws IOException {
    committer.<Boolean>commit(
        base -> Proposal.edit(base.withSweepBoundary(base.generation()), true));
  }

  /** Commits what is refused at first, since another process was faster. */
  private void commitOver(ReplyDroppingProxy proxy, Duration deadline) throws IOException {
    Rerouted rerouted = new Rerouted(direct);
    try (ObjectStore cut = through(proxy);
        ManifestCommitter mine = StoredManifest.committer(rerouted, NAME, deadline);
        ManifestCommitter other =
            StoredManifest.committer(direct, NAME, ManifestCommitter.DEADLINE)) {
      mine.validate();
      raiseBoundary(other);
      rerouted.line = Optional.of(cut);
      raiseBoundary(mine);
    }
  }

  @Test
  void a_refused_write_is_judged_as_soon_as_a_manifest_comes_through() throws Exception {
    long before = StoredManifest.read(direct, "r").generation();
    try (ReplyDroppingProxy proxy = cutting(CUTS)) {
      commitOver(proxy, ManifestCommitter.DEADLINE);
      assertThat(proxy.dropped()).isEqualTo(CUTS);
    }
    assertThat(StoredManifest.read(direct, "r").generation()).isEqualTo(before + 2);
  }

  @Test
  void it_is_unknown_when_the_deadline_has_passed_and_not_before() throws Exception {
    try (ReplyDroppingProxy proxy = cutting(Integer.MAX_VALUE)) {
      assertThatThrownBy(() -> commitOver(proxy, Duration.ofSeconds(2)))
          .isInstanceOf(UnknownOutcomeException.class)
          .hasMessageContaining("not decided within 2000 ms")
          .hasMessageContaining("the body ended after ");
    }
  }

  @Test
  void a_manifest_that_never_comes_through_is_no_damage() throws Exception {
    try (ReplyDroppingProxy proxy = cutting(Integer.MAX_VALUE);
        ObjectStore cut = through(proxy);
        ManifestCommitter mine = StoredManifest.committer(cut, NAME, ManifestCommitter.DEADLINE)) {
      assertThatThrownBy(mine::validate)
          .isInstanceOf(StoreException.BrokenOff.class)
          .hasMessageContaining("however often it was asked for");
    }
  }
}
