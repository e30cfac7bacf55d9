// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.git;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jgits3.bench.process.JvmProgram;
import org.jgits3.bench.process.ScratchDirectory;

/**
 * Bare repositories in a directory.
 *
 * @param git makes them
 * @param repositories the directory
 * @param main main class of the server
 * @param args its arguments
 * @param jvmOptions options of its JVM
 * @param log for what it prints
 */
public record DiskHost(
    GitClient git,
    Path repositories,
    Class<?> main,
    List<String> args,
    List<String> jvmOptions,
    Path log)
    implements Host {
  /**
   * Repositories behind C Git's {@code http-backend}.
   *
   * @param git makes them
   * @param repositories the directory, which exists
   * @param jvmOptions options of the JVM that runs the program for each request
   * @param log for what it prints
   * @return the repositories
   */
  public static DiskHost httpBackend(
      GitClient git, Path repositories, List<String> jvmOptions, Path log) {
    List<String> args = List.of(repositories.toString());
    return new DiskHost(git, repositories, CgiServer.class, args, jvmOptions, log);
  }

  @Override
  public ServerJvm start() throws IOException, InterruptedException {
    return ServerJvm.start(new JvmProgram(jvmOptions, main, args), log);
  }

  @Override
  public void create(String name) throws IOException, InterruptedException {
    Path repository = repositories.resolve(name + ".git");
    ScratchDirectory.delete(repository);
    git.run(Files.createDirectory(repository), "init", "-q", "--bare");
  }

  @Override
  public void delete(String name) throws IOException {
    ScratchDirectory.delete(repositories.resolve(name + ".git"));
  }
}
