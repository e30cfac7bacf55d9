// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.git;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.eclipse.jgit.errors.ConfigInvalidException;
import org.eclipse.jgit.errors.RepositoryNotFoundException;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.S3Settings;
import org.jgits3.bench.process.JvmProgram;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.server.Main;
import org.jgits3.transfer.ImportSource;
import org.jgits3.transfer.Importer;

/**
 * Repositories in a store of this project.
 *
 * @param config file that leads to the store
 * @param jvmOptions options of the JVM of its server
 * @param log for what its server prints
 */
public record StoreHost(Path config, List<String> jvmOptions, Path log) implements Host {
  /**
   * Writes the config file.
   *
   * @param directory where, created if it is not there
   * @param config its text
   * @param jvmOptions options of the JVM of the server
   * @return the repositories of the store
   * @throws IOException if the file cannot be written
   */
  public static StoreHost at(Path directory, String config, List<String> jvmOptions)
      throws IOException {
    Files.createDirectories(directory);
    return new StoreHost(
        Files.writeString(directory.resolve("jgit-s3.config"), config),
        jvmOptions,
        directory.resolve("serve.log"));
  }

  @Override
  public ServerJvm start() throws IOException, InterruptedException {
    List<String> args = List.of("--config", config.toString(), "serve", "--listen", "127.0.0.1:0");
    return ServerJvm.start(new JvmProgram(jvmOptions, Main.class, args), log);
  }

  private S3RepositoryManager manager() throws IOException {
    try {
      return S3RepositoryManager.open(S3Settings.load(config));
    } catch (ConfigInvalidException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  /**
   * Imports a repository and collects it, unless it is there. It has its name when that is done.
   */
  void provide(Path source, String name) throws IOException {
    String begun = name + "-begun";
    delete(begun);
    try (S3RepositoryManager manager = manager()) {
      if (manager.list().contains(name)) {
        return;
      }
      try (ImportSource from = ImportSource.open(source.toString())) {
        new Importer(manager, NullProgressMonitor.INSTANCE).run(from, RepositoryName.of(begun));
      }
      manager.maintenance(begun).collectGarbage(NullProgressMonitor.INSTANCE);
      manager.rename(begun, name);
    }
  }

  @Override
  public void create(String name) throws IOException {
    delete(name);
    try (S3RepositoryManager manager = manager()) {
      manager.createRepository(name).close();
    }
  }

  @Override
  public void delete(String name) throws IOException {
    try (S3RepositoryManager manager = manager()) {
      Optional<String> id = idOf(manager, name);
      if (id.isPresent()) {
        manager.deleteById(id.get());
        manager.sweepById(id.get(), Duration.ZERO, false);
      }
    }
  }

  private static Optional<String> idOf(S3RepositoryManager manager, String name)
      throws IOException {
    try (S3Repository repository = manager.openRepository(name)) {
      return Optional.of(repository.manifest().repositoryId());
    } catch (RepositoryNotFoundException none) {
      return Optional.empty();
    }
  }
}
