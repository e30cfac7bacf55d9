// SPDX-License-Identifier: Apache-2.0
package org.jgits3.transfer;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.eclipse.jgit.errors.ConfigInvalidException;
import org.eclipse.jgit.internal.storage.pack.PackWriter;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.ProgressMonitor;
import org.eclipse.jgit.lib.Ref;
import org.jgits3.S3Repository;

/** Writer of a bare repository in a directory, in Git's format. Used by one thread, once. */
final class BareDirectory {
  /** Directories that Git requires of a repository, even if they are empty. */
  private static final List<String> DIRECTORIES =
      List.of("objects/info", "objects/pack", "refs/heads", "refs/tags");

  private static final String LINK = "ref: ";

  private final Path root;

  /**
   * Creates a writer.
   *
   * @param root an empty directory
   */
  BareDirectory(Path root) {
    this.root = root;
  }

  /** Writes a repository, and forces it to the disk. */
  Exporter.Exported write(S3Repository repository, ProgressMonitor monitor) throws IOException {
    for (String directory : DIRECTORIES) {
      Files.createDirectories(root.resolve(directory));
    }
    SourceRefs refs = refsOf(repository);
    DurableFiles.write(
        root.resolve(Constants.PACKED_REFS), out -> refs.direct().writeTo(out::write));
    writeLooseRefs(refs);
    writeSettings(repository);
    Exporter.Exported exported = writePack(repository, refs, monitor);
    syncDirectories();
    return exported;
  }

  /** The refs that an export has: symbolic ones that lead to none are left out. */
  static SourceRefs refsOf(S3Repository repository) throws IOException {
    List<Ref> all = new ArrayList<>(repository.getRefDatabase().getRefsByPrefix(""));
    if (all.stream().noneMatch(ref -> ref.getName().equals(Constants.HEAD))) {
      Ref unborn = repository.exactRef(Constants.HEAD);
      if (unborn != null) {
        all.add(unborn);
      }
    }
    return SourceRefs.of(all);
  }

  private static void write(OutputStream out, String line) throws IOException {
    out.write(line.getBytes(UTF_8));
    out.write('\n');
  }

  /** Writes the refs that packed-refs cannot hold: symbolic refs and {@code HEAD}. */
  private void writeLooseRefs(SourceRefs refs) throws IOException {
    for (Map.Entry<String, String> link : refs.symbolic().entrySet()) {
      Path file = root.resolve(link.getKey());
      Files.createDirectories(file.getParent());
      DurableFiles.write(file, out -> write(out, LINK + link.getValue()));
    }
    if (refs.head().isPresent()) {
      String detached = refs.head().get().name();
      DurableFiles.write(root.resolve(Constants.HEAD), out -> write(out, detached));
    }
  }

  private void writeSettings(S3Repository repository) throws IOException {
    Config config = new Config();
    try {
      config.fromText(repository.manifest().settings().config());
    } catch (ConfigInvalidException e) {
      throw new IOException(repository + ": its config cannot be read: " + e.getMessage(), e);
    }
    DurableFiles.write(
        root.resolve(Constants.CONFIG),
        out -> out.write(ImportedConfig.textOf(config).getBytes(UTF_8)));
    String description = repository.getGitwebDescription();
    if (description != null) {
      DurableFiles.write(root.resolve("description"), out -> write(out, description));
    }
  }

  private Exporter.Exported writePack(
      S3Repository repository, SourceRefs refs, ProgressMonitor monitor) throws IOException {
    try (PackWriter writer = Selection.of(repository, refs.tips(), Set.of(), monitor)) {
      long objects = writer.getObjectCount();
      if (objects == 0) {
        return new Exporter.Exported(refs.count(), 0, 0);
      }
      long bytes = PackDirectory.write(root.resolve("objects/pack"), writer, monitor);
      return new Exporter.Exported(refs.count(), objects, bytes);
    }
  }

  private void syncDirectories() throws IOException {
    try (Stream<Path> paths = Files.walk(root)) {
      for (Path directory : paths.filter(Files::isDirectory).toList()) {
        DurableFiles.sync(directory);
      }
    }
  }
}
