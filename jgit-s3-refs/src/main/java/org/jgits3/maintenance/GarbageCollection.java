// SPDX-License-Identifier: Apache-2.0
package org.jgits3.maintenance;

import java.io.IOException;
import java.text.ParseException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.eclipse.jgit.internal.storage.dfs.DfsGarbageCollector;
import org.eclipse.jgit.internal.storage.dfs.DfsReaderOptions;
import org.eclipse.jgit.lib.ConfigConstants;
import org.eclipse.jgit.lib.ProgressMonitor;
import org.eclipse.jgit.lib.StoredConfig;
import org.eclipse.jgit.storage.pack.PackConfig;
import org.eclipse.jgit.util.GitTimeParser;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ManifestCommitter;
import org.jgits3.manifest.PackEntry;
import org.jgits3.manifest.PackFileEntry;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.pack.PinnedPacks;
import org.jgits3.pack.S3ObjDatabase;
import org.jgits3.pack.SharedPacks;
import org.jgits3.refs.ViewDatabase;
import org.jgits3.store.ObjectStore;

/**
 * A full collection of one repository by JGit's collector: everything the refs lead to in one pack
 * with bitmaps and a commit graph, what only refs outside of branches and tags lead to in another,
 * and what nothing leads to in a third, which is left out once it is older than {@code
 * gc.pruneExpire}.
 *
 * <p>Refs and packs are those of one manifest. Pushes go on meanwhile; their packs stay as they
 * are.
 */
public final class GarbageCollection {
  private static final String NEVER = "never";
  private static final String DEFAULT_EXPIRE = "2.weeks.ago";

  private final ObjectStore store;
  private final RepositoryName name;
  private final ManifestCommitter committer;
  private final SharedPacks shared;
  private final StoredConfig config;

  /**
   * What a collection came to.
   *
   * @param packsBefore packs at its beginning
   * @param bytesBefore bytes of their files
   * @param packsAfter packs listed when it ended, those pushed meanwhile included
   * @param bytesAfter bytes of their files
   * @param garbageKept whether old garbage stayed because a ref was created or moved meanwhile
   */
  public record Report(
      int packsBefore, long bytesBefore, int packsAfter, long bytesAfter, boolean garbageKept) {}

  GarbageCollection(
      ObjectStore store,
      RepositoryName name,
      ManifestCommitter committer,
      SharedPacks shared,
      StoredConfig config) {
    this.store = store;
    this.name = name;
    this.committer = committer;
    this.shared = shared;
    this.config = config;
  }

  /**
   * Collects.
   *
   * @param monitor told how far it is; may cancel
   * @return what it came to
   * @throws IOException if it could not be done, or not be decided; the repository is as it was, or
   *     collected
   */
  Report run(ProgressMonitor monitor) throws IOException {
    Manifest manifest = committer.validate().manifest();
    if (manifest.packs().isEmpty()) {
      return new Report(0, 0, 0, 0, false);
    }
    boolean garbageKept;
    try (PinnedPacks packs = new PinnedPacks(shared, committer, manifest);
        PinnedRepository repository =
            new PinnedRepository(
                name,
                config,
                ViewDatabase.of(store, manifest),
                r -> new S3ObjDatabase(r, readerOptions(), packs))) {
      DfsGarbageCollector collector =
          new DfsGarbageCollector(repository)
              .setPackConfig(packConfig(repository))
              .setWriteCommitGraph(true)
              .setGarbageTtl(garbageTtl(), TimeUnit.MILLISECONDS);
      collector.pack(monitor);
      garbageKept = packs.garbageKept();
    }
    Manifest now = committer.cached().orElseThrow().manifest();
    return new Report(
        manifest.packs().size(), bytes(manifest), now.packs().size(), bytes(now), garbageKept);
  }

  private DfsReaderOptions readerOptions() {
    return new DfsReaderOptions().fromConfig(config);
  }

  private static PackConfig packConfig(PinnedRepository repository) {
    PackConfig pack = new PackConfig(repository);
    pack.setIndexVersion(2);
    return pack;
  }

  /** How long garbage is kept in milliseconds; zero is for good. */
  private long garbageTtl() throws IOException {
    String text =
        config.getString(
            ConfigConstants.CONFIG_GC_SECTION, null, ConfigConstants.CONFIG_KEY_PRUNEEXPIRE);
    String expire = text == null ? DEFAULT_EXPIRE : text;
    if (expire.equalsIgnoreCase(NEVER)) {
      return 0;
    }
    try {
      Instant before = GitTimeParser.parseInstant(expire);
      return Math.max(1, Duration.between(before, Instant.now()).toMillis());
    } catch (ParseException e) {
      throw new IOException("gc.pruneExpire of " + name + " is no time: " + expire, e);
    }
  }

  private static long bytes(Manifest manifest) {
    return manifest.packs().stream()
        .map(PackEntry::files)
        .flatMap(files -> files.values().stream())
        .mapToLong(PackFileEntry::size)
        .sum();
  }
}
