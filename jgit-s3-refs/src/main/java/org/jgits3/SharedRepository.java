// SPDX-License-Identifier: Apache-2.0
package org.jgits3;

import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.eclipse.jgit.lib.StoredConfig;
import org.jgits3.maintenance.AutoCollection;
import org.jgits3.maintenance.AutoCompaction;
import org.jgits3.maintenance.Maintenance;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ManifestCommitter;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.ManifestMetrics;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.pack.Bundles;
import org.jgits3.pack.IndexBudget;
import org.jgits3.pack.SharedPacks;
import org.jgits3.refs.RefsMetrics;
import org.jgits3.refs.SharedRefs;
import org.jgits3.refs.TableBudget;
import org.jgits3.store.DiskCache;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.PackUploads;

/** What all handles of one repository in this process share. Safe for use by many threads. */
final class SharedRepository {
  private final ObjectStore store;
  private final RepositoryName name;
  private final ManifestCommitter committer;
  private final SharedRefs refs;
  private final SharedPacks packs;

  /** Set before others know of this. */
  private Optional<AutoCollection.Watch> watch = Optional.empty();

  SharedRepository(
      ObjectStore store,
      PackUploads uploads,
      RepositoryName name,
      S3Settings settings,
      Executor background,
      ManifestMetrics manifestMetrics,
      RefsMetrics metrics,
      TableBudget budget,
      Bundles bundles,
      IndexBudget indexes,
      Optional<DiskCache> disk) {
    this.store = store;
    this.name = name;
    this.committer =
        new ManifestCommitter(
            store, name, settings.commits(), settings.manifestReads(), manifestMetrics);
    this.refs =
        new SharedRefs(
            store, uploads, committer, settings.validation(), background, metrics, budget);
    this.packs =
        new SharedPacks(
            store, uploads, committer, refs::makeRoom, settings.spills(), bundles, indexes, disk);
  }

  /**
   * Has it maintained in the background from now on.
   *
   * @param compaction merges small packs
   * @param collection collects; empty if nothing does
   */
  void maintain(AutoCompaction compaction, Optional<AutoCollection> collection) {
    committer.onChange((before, after) -> compaction.consider(name, after));
    watch = collection.map(each -> each.watch(name));
    watch.ifPresent(each -> committer.onChange((before, after) -> each.consider(after)));
  }

  /** Says that somebody opens it, so that it is looked whether something has become due. */
  void opened() {
    watch.ifPresent(AutoCollection.Watch::look);
  }

  /** Says that the manager keeps it no more. Handles that are open go on. */
  void retire() {
    packs.retire();
  }

  RepositoryName name() {
    return name;
  }

  ManifestCommitter committer() {
    return committer;
  }

  SharedRefs refs() {
    return refs;
  }

  SharedPacks packs() {
    return packs;
  }

  Maintenance maintenance(Supplier<StoredConfig> config) {
    return new Maintenance(store, name, committer, packs, config);
  }

  Manifest manifest() throws IOException {
    var cached = committer.cached();
    return cached.isPresent() ? cached.get().manifest() : committer.validate().manifest();
  }

  boolean exists() throws IOException {
    try {
      committer.validate();
      return true;
    } catch (ManifestException.Gone e) {
      if (e.isInTransit()) {
        throw e;
      }
      return false;
    }
  }

  String location() {
    return store.location() + "/" + name;
  }
}
