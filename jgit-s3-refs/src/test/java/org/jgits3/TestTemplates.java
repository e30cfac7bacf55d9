// SPDX-License-Identifier: Apache-2.0
package org.jgits3;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.eclipse.jgit.internal.storage.dfs.DfsObjDatabase.PackSource;
import org.eclipse.jgit.internal.storage.pack.PackWriter;
import org.eclipse.jgit.lib.BatchRefUpdate;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ProgressMonitor;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.revwalk.RevWalk;
import org.eclipse.jgit.storage.pack.PackConfig;
import org.eclipse.jgit.transport.ReceiveCommand;
import org.jgits3.internal.pack.ImportedPack;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.store.Freshness;

/** Templates of repositories of the same store, for tests. */
public final class TestTemplates {
  private static final ProgressMonitor SILENT = NullProgressMonitor.INSTANCE;

  private TestTemplates() {}

  /**
   * Makes a template with the refs of a repository and one pack of all that they lead to. It gets
   * its name at the end.
   *
   * @param manager the store
   * @param name name of the repository
   * @param template name of the template
   * @throws ManifestException.Exists if the name is taken
   * @throws IOException if it was not made
   */
  public static void make(S3RepositoryManager manager, String name, String template)
      throws IOException {
    try (S3Repository from = manager.openRepository(name, Purpose.request());
        S3Repository made = manager.imports().create(true)) {
      try {
        fill(made, from);
        made.getRefDatabase().compact();
        made.maintenance().repack(SILENT);
        made.validate(Freshness.ALWAYS);
        Manifest whole = made.manifest();
        manager.imports().freeze(made, whole);
        manager.imports().publish(made, RepositoryName.of(template));
      } catch (ManifestException.Exists e) {
        manager.imports().delete(made);
        throw e;
      }
    }
  }

  private static void fill(S3Repository made, S3Repository from) throws IOException {
    List<Ref> refs = new ArrayList<>(from.getRefDatabase().getRefsByPrefix(Constants.R_REFS));
    refs.removeIf(Ref::isSymbolic);
    Set<ObjectId> tips = refs.stream().map(Ref::getObjectId).collect(Collectors.toSet());
    PackConfig config = new PackConfig();
    config.setDeltaCompress(false); // for which JGit starts threads
    config.setBuildBitmaps(false);
    try (PackWriter writer = new PackWriter(config, from.newObjectReader())) {
      writer.setUseCachedPacks(false);
      writer.preparePack(SILENT, tips, Set.of());
      ImportedPack.write(made.getObjectDatabase(), PackSource.GC, writer, SILENT);
    }
    BatchRefUpdate batch = made.getRefDatabase().newBatchUpdate();
    batch.setRefLogMessage("import from " + from, false);
    for (Ref ref : refs) {
      batch.addCommand(new ReceiveCommand(ObjectId.zeroId(), ref.getObjectId(), ref.getName()));
    }
    try (RevWalk walk = new RevWalk(made)) {
      batch.execute(walk, SILENT);
    }
    for (ReceiveCommand command : batch.getCommands()) {
      if (command.getResult() != ReceiveCommand.Result.OK) {
        throw new IOException(command + " " + command.getMessage());
      }
    }
  }
}
