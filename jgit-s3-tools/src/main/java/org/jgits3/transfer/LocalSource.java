// SPDX-License-Identifier: Apache-2.0
package org.jgits3.transfer;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.eclipse.jgit.annotations.Nullable;
import org.eclipse.jgit.errors.ConfigInvalidException;
import org.eclipse.jgit.errors.CorruptObjectException;
import org.eclipse.jgit.errors.IncorrectObjectTypeException;
import org.eclipse.jgit.errors.LargeObjectException;
import org.eclipse.jgit.errors.MissingObjectException;
import org.eclipse.jgit.internal.storage.dfs.DfsObjDatabase.PackSource;
import org.eclipse.jgit.internal.storage.file.RefDirectory;
import org.eclipse.jgit.internal.storage.pack.PackWriter;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.lib.ConfigConstants;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectReader;
import org.eclipse.jgit.lib.ProgressMonitor;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.lib.RepositoryBuilder;
import org.eclipse.jgit.lib.RepositoryCache.FileKey;
import org.eclipse.jgit.revwalk.RevWalk;
import org.eclipse.jgit.storage.file.FileBasedConfig;
import org.eclipse.jgit.util.FS;
import org.eclipse.jgit.util.RawParseUtils;
import org.jgits3.S3Repository;
import org.jgits3.internal.pack.ImportedPack;
import org.jgits3.internal.pack.check.PackCheck;

/**
 * Repository in a directory. Its reachable objects go to the store as one pack, read from packs,
 * loose objects and alternates.
 */
final class LocalSource extends ImportSource {
  private static final String CORE = ConfigConstants.CONFIG_CORE_SECTION;
  private static final String EXTENSIONS = "extensions";

  /** Extensions of the format that JGit supports, or that do not matter to a reader. */
  private static final Set<String> KNOWN =
      Set.of(
          "noop",
          "noop-v1",
          "objectformat",
          "partialclone",
          "preciousobjects",
          "refstorage",
          "relativeworktrees",
          "worktreeconfig");

  private final Repository repository;
  private PackWriter selection;
  private PackSource kind = PackSource.GC;

  private LocalSource(Path path, Repository repository) {
    super(path.toString());
    this.repository = repository;
  }

  static LocalSource open(Path path) throws IOException {
    File gitDir = FileKey.resolve(path.toAbsolutePath().normalize().toFile(), FS.DETECTED);
    if (gitDir == null) {
      throw new IOException(path + ": no such Git repository");
    }
    checkFormat(path, gitDir);
    try {
      return new LocalSource(path, new RepositoryBuilder().setGitDir(gitDir).build());
    } catch (IOException | IllegalArgumentException e) {
      throw new IOException(path + ": " + e.getMessage(), e);
    }
  }

  /** Reads all refs of a directory. */
  static SourceRefs refsOf(Path path) throws IOException {
    try (LocalSource source = open(path)) {
      return source.readRefs();
    }
  }

  private static void checkFormat(Path path, File gitDir) throws IOException {
    FileBasedConfig config = new FileBasedConfig(null, new File(gitDir, "config"), FS.DETECTED);
    try {
      config.load();
    } catch (ConfigInvalidException e) {
      throw new IOException(path + ": its config cannot be read: " + e.getMessage(), e);
    }
    String format = config.getString(EXTENSIONS, null, "objectFormat");
    if (format != null && !format.equalsIgnoreCase("sha1")) {
      throw new IOException(
          path + ": its object format is " + format + "; only sha1 can be imported");
    }
    if (config.getInt(CORE, ConfigConstants.CONFIG_KEY_REPO_FORMAT_VERSION, 0) > 0) {
      for (String extension : config.getNames(EXTENSIONS)) {
        if (!KNOWN.contains(extension.toLowerCase(Locale.ROOT))) {
          throw new IOException(path + ": its format has an unknown extension, " + extension);
        }
      }
    }
  }

  /** The repository itself. */
  Repository repository() {
    return repository;
  }

  @Override
  void inspect(Config config, ProgressMonitor monitor) throws IOException {
    select(Set.of(), monitor);
  }

  /**
   * As {@link #inspect}, for a target that has objects already.
   *
   * @param known objects that the target has, with all that is reachable from them
   */
  void inspectBeyond(Set<ObjectId> known, ProgressMonitor monitor) throws IOException {
    kind = PackSource.RECEIVE; // the pack does not hold all that refs lead to
    select(known, monitor);
  }

  private void select(Set<ObjectId> known, ProgressMonitor monitor) throws IOException {
    if (!repository.getObjectDatabase().getShallowCommits().isEmpty()) {
      throw new IOException(
          this + ": is shallow; complete it with git fetch --unshallow, then import it");
    }
    setRefs(readRefs());
    Set<ObjectId> tips = refs().tips();
    tips.removeAll(known);
    try {
      selection = Selection.of(repository, tips, tips.isEmpty() ? Set.of() : known, monitor);
    } catch (MissingObjectException e) {
      throw missing(e);
    }
  }

  /**
   * Reads all refs.
   *
   * @throws IOException if one cannot be read
   */
  SourceRefs readRefs() throws IOException {
    if (repository.getRefDatabase() instanceof RefDirectory) {
      Optional<SourceRefs> read = new RefFiles(repository).read();
      if (read.isPresent()) {
        return read.get();
      }
    }
    List<Ref> found =
        new ArrayList<>(repository.getRefDatabase().getRefsByPrefix(Constants.R_REFS));
    Ref head = repository.exactRef(Constants.HEAD);
    if (head != null) {
      found.add(head);
    }
    return SourceRefs.of(found);
  }

  private IOException missing(MissingObjectException e) {
    ObjectId id = e.getObjectId();
    String what =
        refs()
            .names()
            .filter(name -> refs().id(name).equals(id))
            .findFirst()
            .map(name -> name + " points to " + id.name() + ", which is missing")
            .orElse("object " + id.name() + " is missing");
    return new IOException(this + ": " + what + "; " + remedy(), e);
  }

  private String remedy() {
    return isPartialClone()
        ? "it is a partial clone: import what it was cloned from, or fetch all objects first"
        : "see git fsck";
  }

  /** Tests whether objects were left out that refs lead to. */
  boolean isPartialClone() {
    Config config = repository.getConfig();
    return config.getString(EXTENSIONS, null, "partialClone") != null
        || config.getSubsections(ConfigConstants.CONFIG_REMOTE_SECTION).stream()
            .anyMatch(
                remote ->
                    config.getBoolean(
                        ConfigConstants.CONFIG_REMOTE_SECTION, remote, "promisor", false));
  }

  @Override
  void copyObjects(S3Repository target, ProgressMonitor monitor) throws IOException {
    try {
      ImportedPack.write(target.getObjectDatabase(), kind, selection, monitor);
    } catch (MissingObjectException e) {
      throw missing(e);
    } catch (CorruptObjectException e) {
      throw new IOException(this + ": " + e.getMessage() + "; see git fsck", e);
    } catch (IncorrectObjectTypeException e) {
      throw new IOException(this + ": " + e.getMessage() + " See git fsck.", e);
    } catch (LargeObjectException e) {
      throw new IOException(
          this
              + ": "
              + largest()
              + " is too large: an object may have "
              + PackCheck.MOST_BYTES
              + " bytes, and one that is stored as a delta has to fit the heap",
          e);
    }
  }

  /** Names the largest object. */
  private String largest() throws IOException {
    long most = -1;
    String found = "";
    try (ObjectReader reader = repository.newObjectReader()) {
      for (ObjectId id : selection.getObjectSet()) {
        long size = reader.getObjectSize(id, ObjectReader.OBJ_ANY);
        if (size > most) {
          most = size;
          found = "object " + id.name() + " of " + size + " bytes";
        }
      }
    }
    return found;
  }

  @Override
  RevWalk newWalk(S3Repository target) {
    return new RevWalk(repository);
  }

  @Override
  String configText() throws IOException {
    Path file = repository.getCommonDirectory().toPath().resolve(Constants.CONFIG);
    Config config = new Config();
    if (Files.exists(file)) {
      try {
        config.fromText(RawParseUtils.decode(Files.readAllBytes(file)));
      } catch (ConfigInvalidException e) {
        throw new IOException(file + ": " + e.getMessage(), e);
      }
    }
    return ImportedConfig.textOf(config);
  }

  @Override
  @Nullable
  String description() throws IOException {
    return repository.getGitwebDescription();
  }

  @Override
  public void close() {
    if (selection != null) {
      selection.close();
    }
    repository.close();
  }
}
