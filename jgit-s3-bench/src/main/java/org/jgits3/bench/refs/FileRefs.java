// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.refs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.eclipse.jgit.internal.storage.file.FileRepository;
import org.eclipse.jgit.lib.ConfigConstants;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.StoredConfig;

/** Bare repositories on the local disk, as JGit has them. */
final class FileRefs {
  private static final String REFTABLE = "reftable";

  private FileRefs() {}

  /**
   * Writes a repository whose refs are all in packed-refs.
   *
   * @param directory where; exists and is empty
   * @param refs its refs, whose objects do not exist
   * @param trustStat value of {@code core.trustStat}
   */
  static void generate(Path directory, RefSet refs, String trustStat) throws IOException {
    create(directory, trustStat);
    refs.writePackedRefs(directory.resolve(Constants.PACKED_REFS));
  }

  private static void create(Path directory, String trustStat) throws IOException {
    try (FileRepository repository = open(directory)) {
      repository.create(true);
      StoredConfig config = repository.getConfig();
      config.setString(
          ConfigConstants.CONFIG_CORE_SECTION,
          null,
          ConfigConstants.CONFIG_KEY_TRUST_STAT,
          trustStat);
      config.save();
    }
  }

  /** Writes a repository whose refs are in a reftable; parameters as of {@link #generate}. */
  static void generateReftable(Path directory, RefSet refs, String trustStat) throws IOException {
    create(directory, trustStat);
    try (FileRepository repository = open(directory)) {
      repository.convertRefStorage(REFTABLE, false, false);
      RefBatch.createAll(repository, refs.all());
    }
  }

  static FileRepository open(Path directory) throws IOException {
    return new FileRepository(directory.toFile());
  }

  /** Copies a repository, so that it can be changed. */
  static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      files.forEach(
          file -> {
            try {
              Files.copy(file, to.resolve(from.relativize(file).toString()));
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          });
    }
  }
}
