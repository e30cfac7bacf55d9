// SPDX-License-Identifier: Apache-2.0
package org.jgits3.maintenance.interleaving;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.eclipse.jgit.internal.storage.dfs.DfsBlockCache;
import org.eclipse.jgit.internal.storage.dfs.DfsBlockCacheConfig;
import org.jgits3.Soundness;
import org.jgits3.internal.commit.StoredManifest;
import org.jgits3.maintenance.MaintenanceFixture;
import org.jgits3.manifest.Manifest;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.StoreKind;
import org.jgits3.testing.EachStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/** Several processes that use the repository {@code r}, each over a client of its own. */
@EachStore
@Timeout(120) // threads wait for each other
abstract class InterleavingFixture {
  static final String MAIN = "refs/heads/main";

  @Parameter StoreKind kind;
  @TempDir Path directory;

  private final List<Actor> actors = new ArrayList<>();
  ObjectStore plain;

  /** Does the steps of all other processes. */
  Actor others;

  /** Opens another client of the store, with the same objects. */
  private ObjectStore store() throws IOException {
    return kind.open(directory);
  }

  @BeforeEach
  void create() throws Exception {
    plain = store();
    others = actor();
    others.manager.createRepository("r").close();
    others.push(MAIN);
    DfsBlockCache.reconfigure(new DfsBlockCacheConfig());
  }

  @AfterEach
  void close() throws IOException {
    for (Actor actor : actors) {
      actor.close();
    }
    plain.close();
  }

  Actor actor() throws Exception {
    Actor actor = new Actor(store());
    actors.add(actor);
    return actor;
  }

  Manifest manifest() throws IOException {
    return StoredManifest.read(plain, "r");
  }

  /** All objects of the store but marks of sweeps and leases. */
  Set<String> stored() throws IOException {
    return MaintenanceFixture.stored(plain);
  }

  Set<String> listed() throws IOException {
    return MaintenanceFixture.listed(manifest());
  }

  /** Objects that are stored and not listed. */
  Set<String> unlisted() throws IOException {
    Set<String> keys = stored();
    keys.removeAll(listed());
    return keys;
  }

  /** Asserts that all that is listed is there, and whatever the refs lead to. */
  void isSound() throws Exception {
    DfsBlockCache.reconfigure(new DfsBlockCacheConfig());
    assertThat(stored()).containsAll(listed());
    Soundness.assertSound(actor().manager, "r");
  }
}
