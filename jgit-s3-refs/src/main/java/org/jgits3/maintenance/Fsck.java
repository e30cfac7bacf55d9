// SPDX-License-Identifier: Apache-2.0
package org.jgits3.maintenance;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.eclipse.jgit.errors.CorruptPackIndexException;
import org.eclipse.jgit.internal.fsck.FsckError;
import org.eclipse.jgit.internal.storage.dfs.DfsFsck;
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
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.GitmoduleEntry;
import org.eclipse.jgit.lib.ObjectChecker;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ProgressMonitor;
import org.jgits3.internal.function.IoRunnable;
import org.jgits3.internal.pack.S3ObjDatabase;
import org.jgits3.internal.pack.SharedPacks;
import org.jgits3.internal.pack.check.StoredPackParser;
import org.jgits3.internal.pack.file.BlockwiseChannel;
import org.jgits3.manifest.LiveObject;
import org.jgits3.manifest.Manifest;
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
  private final ObjectChecker checker = new ObjectChecker();
  private final List<Verification.Finding> findings = new ArrayList<>();

  /**
   * Checks nothing yet.
   *
   * @param manifest manifest to check
   * @param monitor receives progress
   */
  Fsck(MaintenanceTarget repository, Manifest manifest, ProgressMonitor monitor) {
    this.repository = repository;
    this.manifest = manifest;
    this.monitor = monitor;
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
    String key = repository.name().manifestKey();
    attempt(
        key,
        () -> {
          try (PinnedRepository pinned =
              new PinnedRepository(repository, manifest, Fsck::blockwise)) {
            checkPacks(pinned.getObjectDatabase());
            DfsFsck connectivity = new DfsFsck(pinned);
            connectivity.setConnectivityOnly(true);
            attempt(key, () -> addAll(connectivity.check(monitor), key));
          }
        });
    return findings;
  }

  /** Takes a step. If it fails, that is a finding, unless the store has failed. */
  private void attempt(String key, IoRunnable step) throws IOException {
    try {
      step.run();
    } catch (IOException e) {
      Optional<StoreException> ofStore = S3ObjDatabase.cause(e, StoreException.class);
      if (ofStore.isPresent()) {
        throw ofStore.get();
      }
      add(key, "fsck ended early: " + e.getMessage());
    }
  }

  private void add(String key, String problem) {
    findings.add(new Verification.Finding(key, problem));
  }

  private void addAll(FsckError errors, String key) {
    for (ObjectId id : errors.getMissingObjects()) {
      add(key, "object " + id.name() + " is needed and in no pack");
    }
    for (String ref : errors.getNonCommitHeads()) {
      add(key, ref + " does not point to a commit");
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
      parser.verifyIndex(pack.getPackIndex(reader));
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
    return repository.name().manifestKey();
  }

  /** Key of the object that holds a file with a JGit file name: its own, or the bundle. */
  private String keyOfPack(String fileName) {
    List<String> keys =
        manifest.packs().stream()
            .filter(pack -> fileName.startsWith(pack.id()))
            .flatMap(pack -> pack.objects(manifest.home(pack.id())).stream())
            .map(LiveObject::key)
            .toList();
    return keys.stream()
        .filter(key -> key.endsWith(fileName))
        .findFirst()
        .or(() -> keys.stream().findFirst())
        .orElse(repository.name().manifestKey());
  }
}
