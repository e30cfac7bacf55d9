// SPDX-License-Identifier: Apache-2.0
package org.jgits3.verify;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.eclipse.jgit.errors.ConfigInvalidException;
import org.eclipse.jgit.errors.CorruptPackIndexException;
import org.eclipse.jgit.errors.IncorrectObjectTypeException;
import org.eclipse.jgit.errors.MissingObjectException;
import org.eclipse.jgit.internal.fsck.FsckError;
import org.eclipse.jgit.internal.storage.dfs.DfsObjDatabase.PackSource;
import org.eclipse.jgit.internal.storage.dfs.DfsPackDescription;
import org.eclipse.jgit.internal.storage.dfs.DfsPackFile;
import org.eclipse.jgit.internal.storage.dfs.DfsReader;
import org.eclipse.jgit.internal.storage.dfs.DfsReaderOptions;
import org.eclipse.jgit.internal.storage.dfs.DfsRepository;
import org.eclipse.jgit.internal.storage.dfs.ReadableChannel;
import org.eclipse.jgit.internal.storage.pack.PackExt;
import org.eclipse.jgit.internal.submodule.SubmoduleValidator;
import org.eclipse.jgit.lib.AnyObjectId;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.GitmoduleEntry;
import org.eclipse.jgit.lib.ObjectChecker;
import org.eclipse.jgit.lib.ProgressMonitor;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.revwalk.ObjectWalk;
import org.eclipse.jgit.revwalk.RevCommit;
import org.eclipse.jgit.revwalk.RevObject;
import org.eclipse.jgit.transport.TransferConfig;
import org.jgits3.internal.function.Causes;
import org.jgits3.internal.function.IoRunnable;
import org.jgits3.internal.pack.S3ObjDatabase;
import org.jgits3.internal.pack.SharedPacks;
import org.jgits3.internal.refs.S3RefDatabase;
import org.jgits3.internal.refs.snapshot.SnapshotTables;
import org.jgits3.internal.version.MaintenanceTarget;
import org.jgits3.internal.version.RepositoryVersion;
import org.jgits3.manifest.LiveObject;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.store.StoreException;

/**
 * Checks the refs and packs of one manifest, as Git's fsck does. Used by one thread, once.
 *
 * <p>JGit's own fsck ends at the first pack that it cannot read.
 */
final class Fsck {
  private final MaintenanceTarget repository;
  private final Manifest manifest;
  private final ProgressMonitor monitor;
  private final ObjectChecker checker;
  private final List<Verification.Finding> findings = new ArrayList<>();

  /**
   * Checks nothing yet.
   *
   * @param manifest manifest to check
   * @param monitor receives progress
   * @throws IOException if the configuration of the repository cannot be read
   */
  Fsck(MaintenanceTarget repository, Manifest manifest, ProgressMonitor monitor)
      throws IOException {
    this.repository = repository;
    this.manifest = manifest;
    this.monitor = monitor;
    this.checker = checker(repository.config().get());
  }

  /** A checker that ignores the faults which pushes to the repository may have. */
  private static ObjectChecker checker(Config ofRepository) throws IOException {
    Config config = new Config();
    try {
      config.fromText(ofRepository.toText());
    } catch (ConfigInvalidException e) {
      throw new IOException(e);
    }
    config.setBoolean("receive", null, "fsckObjects", true);
    config.unset("fsck", null, "skipList"); // a file of another machine
    return new TransferConfig(config).newReceiveObjectChecker();
  }

  /** Object database that reads its packs from front to end. */
  private static S3ObjDatabase blockwise(
      DfsRepository handle, DfsReaderOptions options, SharedPacks packs) {
    return new S3ObjDatabase(handle, options, packs) {
      @Override
      public ReadableChannel openFile(DfsPackDescription pack, PackExt ext) throws IOException {
        ReadableChannel channel = super.openFile(pack, ext);
        return ext == PackExt.PACK ? new BlockwiseChannel(channel) : channel;
      }
    };
  }

  /**
   * Checks the objects of all packs, their indexes, and that all objects reachable from refs exist.
   *
   * @return the findings
   * @throws StoreException.Missing if the store lacks an object that the manifest lists
   * @throws IOException if the store does not answer
   */
  List<Verification.Finding> run() throws IOException {
    String key = ObjectNames.manifestKey(manifest.repositoryId());
    attempt(
        key,
        () -> {
          try (RepositoryVersion version =
              new RepositoryVersion(
                  repository,
                  manifest,
                  SnapshotTables.read(repository.store(), manifest),
                  Fsck::blockwise)) {
            checkPacks(version.getObjectDatabase());
            attempt(key, () -> checkRefs(version, key));
          }
        });
    return findings;
  }

  /** Takes a step. If it fails, that is a finding, unless the store has failed. */
  private void attempt(String key, IoRunnable step) throws IOException {
    try {
      step.run();
    } catch (IOException e) {
      Optional<StoreException> ofStore = Causes.find(e, StoreException.class);
      if (ofStore.isPresent()) {
        throw ofStore.get();
      }
      add(key, "fsck ended early: " + e.getMessage());
    }
  }

  private void add(String key, String problem) {
    findings.add(new Verification.Finding(key, problem));
  }

  private void checkRefs(RepositoryVersion version, String key) throws IOException {
    monitor.beginTask("Checking connectivity", ProgressMonitor.UNKNOWN);
    try (ObjectWalk walk = new ObjectWalk(version)) {
      for (Ref ref : version.getRefDatabase().getRefs()) {
        if (ref.getObjectId() != null) {
          checkFound(key, () -> start(walk, ref, key));
        }
      }
      checkFound(key, () -> version.getObjectDatabase().checkReachable(walk, monitor));
    } finally {
      monitor.endTask();
    }
  }

  private void start(ObjectWalk walk, Ref ref, String key) throws IOException {
    RevObject tip = walk.parseAny(ref.getObjectId());
    if (S3RefDatabase.isBranch(ref.getLeaf().getName()) && !(tip instanceof RevCommit)) {
      add(key, ref.getLeaf().getName() + " does not point to a commit");
    }
    walk.markStart(tip);
  }

  /** Takes a step. An object that is missing, or has another type, is a finding. */
  private void checkFound(String key, IoRunnable step) throws IOException {
    try {
      step.run();
    } catch (MissingObjectException e) {
      add(key, "object " + e.getObjectId().name() + " is needed and in no pack");
    } catch (IncorrectObjectTypeException e) {
      add(key, e.getMessage());
    }
  }

  private void checkPacks(S3ObjDatabase objects) throws IOException {
    try (DfsReader reader = objects.newReader()) {
      for (DfsPackFile pack : objects.getPacks()) {
        DfsPackDescription description = pack.getPackDescription();
        if (description.getPackSource() != PackSource.UNREACHABLE_GARBAGE) {
          String key = keyOfPack(description.getFileName(PackExt.PACK));
          attempt(key, () -> check(pack, key, objects, reader));
        }
      }
      for (GitmoduleEntry entry : checker.getGitsubmodules()) {
        String key = keyOfPackWith(entry.getBlobId(), objects, reader);
        attempt(key, () -> checkModules(entry.getBlobId(), key, reader));
      }
    }
  }

  private void check(DfsPackFile pack, String key, S3ObjDatabase objects, DfsReader reader)
      throws IOException {
    DfsPackDescription description = pack.getPackDescription();
    try (ReadableChannel channel = objects.openFile(description, PackExt.PACK)) {
      StoredPackParser parser =
          new StoredPackParser(objects, channel, description.getObjectCount());
      parser.setObjectChecker(checker);
      parser.parse(monitor);
      for (FsckError.CorruptObject bad : parser.getCorruptObjects()) {
        String type = Constants.typeString(bad.getType());
        String why = bad.getErrorType() == null ? "corrupt" : bad.getErrorType().getMessageId();
        add(key, type + " " + bad.getId().name() + ": " + why);
      }
      parser.faults().forEach(fault -> add(key, fault));
      parser.verifyIndex(pack.getPackIndex(reader));
      objects.noteTypes(description, parser.getSortedObjectList(null));
    } catch (CorruptPackIndexException e) {
      add(
          keyOfPack(description.getFileName(PackExt.INDEX)),
          "the index does not fit the pack: " + e.getErrorType());
    }
  }

  private void checkModules(AnyObjectId id, String key, DfsReader reader) throws IOException {
    try {
      byte[] modules = reader.open(id, Constants.OBJ_BLOB).getBytes();
      SubmoduleValidator.assertValidGitModulesFile(new String(modules, UTF_8));
    } catch (SubmoduleValidator.SubmoduleValidationException e) {
      add(key, "blob " + id.name() + ": " + e.getFsckMessageId().getMessageId());
    }
  }

  private String keyOfPackWith(AnyObjectId id, S3ObjDatabase objects, DfsReader reader)
      throws IOException {
    for (DfsPackFile pack : objects.getPacks()) {
      if (pack.hasObject(reader, id)) {
        return keyOfPack(pack.getPackDescription().getFileName(PackExt.PACK));
      }
    }
    return ObjectNames.manifestKey(manifest.repositoryId());
  }

  /** Key of the object that holds a file with a JGit file name: its own, or the bundle. */
  private String keyOfPack(String fileName) {
    List<String> keys =
        manifest.packs().stream()
            .filter(pack -> fileName.startsWith(pack.id()))
            .flatMap(pack -> pack.objects(manifest.owner(pack.id())).stream())
            .map(LiveObject::key)
            .toList();
    return keys.stream()
        .filter(key -> key.endsWith(fileName))
        .findFirst()
        .or(() -> keys.stream().findFirst())
        .orElse(ObjectNames.manifestKey(manifest.repositoryId()));
  }
}
