// SPDX-License-Identifier: Apache-2.0
package org.jgits3;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.eclipse.jgit.internal.fsck.FsckError;
import org.eclipse.jgit.internal.storage.dfs.DfsFsck;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.jgits3.manifest.LiveObject;
import org.jgits3.store.Crc32c;
import org.jgits3.store.StoreException;

/**
 * Looks for faults of a repository that nothing changes meanwhile: each object that its manifest
 * lists has the bytes that were written, and JGit's own fsck finds no error.
 */
public final class Soundness {
  private Soundness() {}

  /** Asserts that a repository has no fault. */
  public static void assertSound(S3RepositoryManager manager, String name) throws IOException {
    assertThat(faults(manager, name)).as(name).isEmpty();
  }

  /**
   * Finds faults.
   *
   * @param manager the store
   * @param name name of the repository
   * @return a line for each fault
   * @throws IOException if the store does not answer
   */
  public static List<String> faults(S3RepositoryManager manager, String name) throws IOException {
    List<String> faults = new ArrayList<>();
    try (S3Repository repository = manager.openRepository(name, Purpose.request())) {
      for (LiveObject object : LiveObject.of(repository.manifest())) {
        for (LiveObject.Section section : object.sections()) {
          check(manager, object.key(), section, faults);
        }
      }
      if (faults.isEmpty()) {
        fsck(repository, faults);
      }
    }
    return faults;
  }

  private static void check(
      S3RepositoryManager manager, String key, LiveObject.Section section, List<String> faults)
      throws IOException {
    byte[] bytes = new byte[Math.toIntExact(section.size())];
    try {
      manager.store().read(key, section.offset(), bytes, 0, bytes.length, Optional.empty());
      if (Crc32c.of(bytes) != section.crc32c()) {
        faults.add(key + " has other bytes");
      }
    } catch (StoreException.Missing | StoreException.Corrupt e) {
      faults.add(key + ": " + e.getMessage());
    }
  }

  private static void fsck(S3Repository repository, List<String> faults) throws IOException {
    FsckError found = new DfsFsck(repository).check(NullProgressMonitor.INSTANCE);
    found.getCorruptObjects().forEach(bad -> faults.add("corrupt: " + bad.getId().name()));
    found.getMissingObjects().forEach(id -> faults.add("missing: " + id.name()));
    found.getCorruptIndices().forEach(bad -> faults.add("index: " + bad.getFileName()));
    found.getNonCommitHeads().forEach(ref -> faults.add("no commit: " + ref));
  }
}
