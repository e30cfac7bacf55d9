// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.command;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.manifest.LogSegment;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.manifest.PackEntry;
import org.jgits3.manifest.PackFileEntry;
import org.jgits3.manifest.RefSnapshot;
import org.jgits3.server.program.RepositoryCommand;
import org.jgits3.server.terminal.Quantity;
import org.jgits3.store.ObjectInfo;
import picocli.CommandLine.Command;

/** Shows the size of a repository and of its parts. */
@Command(name = "stats", description = "Show how large a repository is and what it is made of.")
final class StatsCommand extends RepositoryCommand {
  /**
   * Printed figures. Sizes are in bytes; the overlay holds the refs changed, deletions included,
   * since the snapshot was written. Packs are grouped by their source: {@code RECEIVE} for a push,
   * {@code GC} and {@code GC_REST} for a collection, and so on. The template of a fork is the id of
   * the repository that has some of its packs; that of a template is its own id; for others it is
   * empty.
   */
  private record Stats(
      String name,
      String repositoryId,
      String template,
      int ownPacks,
      long generation,
      long manifestBytes,
      int refs,
      long snapshotRefs,
      long snapshotBytes,
      long recentRefs,
      long recentBytes,
      int overlayRefs,
      int packs,
      long packBytes,
      long objects,
      Map<String, Packs> packsBySource,
      long logEntries,
      int logSegments) {}

  /** Packs of one source, with all their files. */
  private record Packs(int packs, long objects, long bytes) {
    Packs and(PackEntry pack) {
      return new Packs(packs + 1, objects + pack.objects(), bytes + StatsCommand.bytes(pack));
    }
  }

  @Override
  public Integer call() throws IOException {
    try (S3RepositoryManager manager = program.openToRead();
        S3Repository repository = manager.openRepository(name.value())) {
      long manifestBytes =
          manager
              .store()
              .stat(ObjectNames.manifestKey(repository.manifest().repositoryId()))
              .map(ObjectInfo::size)
              .orElse(0L);
      print(stats(repository, manifestBytes));
    }
    return 0;
  }

  private Stats stats(S3Repository repository, long manifestBytes) throws IOException {
    int refs = repository.getRefDatabase().getRefs().size();
    Manifest manifest = repository.manifest();
    List<RefSnapshot> recent = manifest.refs().tables().stream().skip(1).toList();
    return new Stats(
        name.value(),
        manifest.repositoryId(),
        manifest.template().map(Manifest.Template::repositoryId).orElse(""),
        manifest.ownPacks().size(),
        manifest.generation(),
        manifestBytes,
        refs,
        manifest.refs().base().map(RefSnapshot::count).orElse(0L),
        manifest.refs().base().map(RefSnapshot::size).orElse(0L),
        recent.stream().mapToLong(RefSnapshot::count).sum(),
        recent.stream().mapToLong(RefSnapshot::size).sum(),
        manifest.refs().overlay().size(),
        manifest.packs().size(),
        manifest.packs().stream().mapToLong(StatsCommand::bytes).sum(),
        manifest.packs().stream().mapToLong(PackEntry::objects).sum(),
        packsBySource(manifest),
        manifest.log().tail().size()
            + manifest.log().segments().stream().mapToLong(LogSegment::entries).sum(),
        manifest.log().segments().size());
  }

  private static Map<String, Packs> packsBySource(Manifest manifest) {
    Map<String, Packs> bySource = new TreeMap<>();
    for (PackEntry pack : manifest.packs()) {
      bySource.merge(pack.source(), new Packs(0, 0, 0).and(pack), (packs, one) -> packs.and(pack));
    }
    return bySource;
  }

  private static long bytes(PackEntry pack) {
    return pack.files().values().stream().mapToLong(PackFileEntry::size).sum();
  }

  private void print(Stats stats) {
    output.value(stats);
    row("repository", stats.name() + " (" + stats.repositoryId() + ")");
    if (!stats.template().isEmpty()) {
      row("template", template(stats));
    }
    row("generation", stats.generation());
    row("manifest", Quantity.of(stats.manifestBytes(), "byte"));
    row("refs", stats.refs());
    row("snapshot", table(stats.snapshotRefs(), stats.snapshotBytes()));
    row("recent refs", table(stats.recentRefs(), stats.recentBytes()));
    row("overlay", Quantity.of(stats.overlayRefs(), "ref"));
    row("packs", stats.packs() + ", " + Quantity.of(stats.packBytes(), "byte"));
    row("objects", stats.objects());
    stats.packsBySource().forEach(this::packsRow);
    row(
        "log",
        stats.logEntries()
            + (stats.logEntries() == 1 ? " entry, " : " entries, ")
            + Quantity.of(stats.logSegments(), "segment"));
  }

  private static String table(long refs, long bytes) {
    return Quantity.of(refs, "ref") + ", " + Quantity.of(bytes, "byte");
  }

  private static String template(Stats stats) {
    return stats.template().equals(stats.repositoryId())
        ? "this is one"
        : stats.template() + ", all but " + Quantity.of(stats.ownPacks(), "pack") + " are its";
  }

  private void packsRow(String source, Packs packs) {
    row(
        "  " + source,
        Quantity.of(packs.packs(), "pack")
            + ", "
            + Quantity.of(packs.objects(), "object")
            + ", "
            + Quantity.of(packs.bytes(), "byte"));
  }

  private void row(String what, Object value) {
    output.line(String.format("%-21s %s", what, value));
  }
}
