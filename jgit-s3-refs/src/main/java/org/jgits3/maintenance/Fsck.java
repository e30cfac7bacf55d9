// SPDX-License-Identifier: Apache-2.0
package org.jgits3.maintenance;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.eclipse.jgit.internal.fsck.FsckError;
import org.eclipse.jgit.internal.storage.dfs.DfsFsck;
import org.eclipse.jgit.internal.storage.dfs.DfsPackDescription;
import org.eclipse.jgit.internal.storage.dfs.DfsPackFile;
import org.eclipse.jgit.internal.storage.dfs.DfsReader;
import org.eclipse.jgit.internal.storage.dfs.DfsReaderOptions;
import org.eclipse.jgit.internal.storage.dfs.DfsRepository;
import org.eclipse.jgit.internal.storage.dfs.ReadableChannel;
import org.eclipse.jgit.internal.storage.pack.PackExt;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ProgressMonitor;
import org.jgits3.internal.pack.S3ObjDatabase;
import org.jgits3.internal.pack.SharedPacks;
import org.jgits3.internal.pack.file.BlockwiseChannel;
import org.jgits3.manifest.LiveObject;
import org.jgits3.manifest.Manifest;
import org.jgits3.store.StoreException;

/** Runs JGit's fsck on the refs and packs of one manifest. */
final class Fsck {
  private final MaintenanceTarget repository;

  Fsck(MaintenanceTarget repository) {
    this.repository = repository;
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
   * @param manifest manifest to check
   * @param monitor receives progress
   * @return the findings
   * @throws StoreException.Missing if the store lacks an object that the manifest lists
   * @throws IOException if the store does not answer
   */
  List<Verification.Finding> run(Manifest manifest, ProgressMonitor monitor) throws IOException {
    try (PinnedRepository pinned = new PinnedRepository(repository, manifest, Fsck::blockwise)) {
      return findings(manifest, pinned, new DfsFsck(pinned).check(monitor));
    } catch (IOException e) {
      Optional<StoreException> ofStore = S3ObjDatabase.cause(e, StoreException.class);
      if (ofStore.isPresent()) {
        throw ofStore.get();
      }
      return List.of(
          new Verification.Finding(
              repository.name().manifestKey(), "fsck ended early: " + e.getMessage()));
    }
  }

  private List<Verification.Finding> findings(
      Manifest manifest, PinnedRepository pinned, FsckError errors) throws IOException {
    List<Verification.Finding> findings = new ArrayList<>();
    for (FsckError.CorruptObject bad : errors.getCorruptObjects()) {
      String type = Constants.typeString(bad.getType());
      String why = bad.getErrorType() == null ? "corrupt" : bad.getErrorType().getMessageId();
      findings.add(
          new Verification.Finding(
              keyOfPackWith(bad.getId(), manifest, pinned),
              type + " " + bad.getId().name() + ": " + why));
    }
    for (FsckError.CorruptIndex bad : errors.getCorruptIndices()) {
      findings.add(
          new Verification.Finding(
              keyOfPack(bad.getFileName(), manifest),
              "the index does not fit the pack: " + bad.getErrorType()));
    }
    String key = repository.name().manifestKey();
    for (ObjectId id : errors.getMissingObjects()) {
      findings.add(
          new Verification.Finding(key, "object " + id.name() + " is needed and in no pack"));
    }
    for (String ref : errors.getNonCommitHeads()) {
      findings.add(new Verification.Finding(key, ref + " does not point to a commit"));
    }
    return findings;
  }

  private String keyOfPackWith(ObjectId id, Manifest manifest, PinnedRepository pinned)
      throws IOException {
    try (DfsReader reader = pinned.getObjectDatabase().newReader()) {
      for (DfsPackFile pack : pinned.getObjectDatabase().getPacks()) {
        if (pack.hasObject(reader, id)) {
          return keyOfPack(pack.getPackDescription().getFileName(PackExt.PACK), manifest);
        }
      }
    }
    return repository.name().manifestKey();
  }

  /** Key of the object that holds a file with a JGit file name: its own, or the bundle. */
  private String keyOfPack(String fileName, Manifest manifest) {
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
