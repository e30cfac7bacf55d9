// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.e2e;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.eclipse.jgit.errors.ConfigInvalidException;
import org.eclipse.jgit.internal.storage.pack.PackExt;
import org.eclipse.jgit.lib.CommitBuilder;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectInserter;
import org.eclipse.jgit.lib.PersonIdent;
import org.eclipse.jgit.lib.RefUpdate;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.lib.TreeFormatter;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.gerrit.e2e.tools.Programs;
import org.jgits3.gerrit.e2e.writers.Bucket;
import org.jgits3.gerrit.e2e.writers.HoldLease;

/**
 * A versitygw with one bucket, whose access log counts the requests. It keeps connections open, as
 * S3 does and versitygw by default does not.
 */
final class S3Server {
  static final String KEY = Bucket.KEY;
  static final String SECRET = Bucket.SECRET;
  static final String BUCKET = Bucket.NAME;

  static final Map<String, String> CREDENTIALS =
      Map.of("AWS_ACCESS_KEY_ID", KEY, "AWS_SECRET_ACCESS_KEY", SECRET);

  private static final Pattern REQUEST = Pattern.compile(" s3_(\\w+) (\\S+) \\S+ (\\d+) ");

  private static final long QUIET_MILLIS = 1000;
  private static final long MOST_MILLIS = 10_000;

  private final int port = Programs.freePort();
  private final Path accessLog;
  private final Path directory;
  private final Programs programs;
  private final Process process;

  S3Server(Programs programs, Path binary, Path directory)
      throws IOException, InterruptedException {
    Path data = Files.createDirectories(directory.resolve("s3").resolve(BUCKET)).getParent();
    accessLog = directory.resolve("s3-access.log");
    this.programs = programs;
    this.directory = directory;
    process =
        programs.start(
            directory,
            Map.of("ROOT_ACCESS_KEY", KEY, "ROOT_SECRET_KEY", SECRET),
            directory.resolve("s3.log").toFile(),
            List.of(
                binary.toString(),
                "--port",
                "127.0.0.1:" + port,
                "--quiet",
                "--keep-alive",
                "--access-log",
                accessLog.toString(),
                "posix",
                data.toString()));
    await(port, process, directory.resolve("s3.log"));
  }

  /** Waits until a server answers that was just started. */
  static void await(int port, Process server, Path log) throws IOException, InterruptedException {
    for (int i = 0; !answers(port); i++) {
      if (i > 600 || !server.isAlive()) {
        throw new IOException("the S3 server does not start, see " + log);
      }
      Thread.sleep(100);
    }
  }

  private static boolean answers(int port) {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.isConnected();
    } catch (IOException e) {
      return false;
    }
  }

  /** Leaves all requests without an answer. */
  void pause() throws IOException, InterruptedException {
    programs.pause(process);
  }

  void resume() throws IOException, InterruptedException {
    programs.resume(process);
  }

  /** Lists the packs of a repository. */
  List<String> packs(String name) throws IOException, ConfigInvalidException {
    try (S3RepositoryManager manager = Bucket.open(port);
        S3Repository repository = manager.openRepository(name)) {
      return Stream.of(repository.getObjectDatabase().getPacks())
          .map(pack -> pack.getPackDescription().getFileName(PackExt.PACK))
          .toList();
    }
  }

  /** Sets a ref to a commit without files, and returns the id that it had. */
  ObjectId empty(String name, String ref) throws IOException, ConfigInvalidException {
    try (S3RepositoryManager manager = Bucket.open(port);
        Repository repository = manager.openRepository(name)) {
      ObjectId before = repository.exactRef(ref).getObjectId();
      Report.equal(write(name, List.of(ref)), List.of(ref), "written");
      return before;
    }
  }

  /** Sets a ref. */
  void set(String name, String ref, ObjectId id) throws IOException, ConfigInvalidException {
    Report.equal(change(name, List.of(ref), Optional.of(id), RefUpdate::update), List.of(ref), ref);
  }

  /** Sets refs of any names to a commit without files; returns those that the library takes. */
  List<String> write(String name, List<String> refs) throws IOException, ConfigInvalidException {
    return change(name, refs, Optional.empty(), RefUpdate::update);
  }

  /** Deletes refs. */
  void deleteRefs(String name, List<String> refs) throws IOException, ConfigInvalidException {
    change(name, refs, Optional.empty(), RefUpdate::delete);
  }

  private interface Change {
    RefUpdate.Result of(RefUpdate update) throws IOException;
  }

  private List<String> change(String name, List<String> refs, Optional<ObjectId> to, Change how)
      throws IOException, ConfigInvalidException {
    List<String> changed = new ArrayList<>();
    try (S3RepositoryManager manager = Bucket.open(port);
        Repository repository = manager.openRepository(name);
        ObjectInserter objects = repository.newObjectInserter()) {
      ObjectId id = to.isPresent() ? to.get() : objects.insert(withoutFiles(objects));
      objects.flush();
      for (String ref : refs) {
        RefUpdate update = Repository.isValidRefName(ref) ? repository.updateRef(ref) : null;
        if (update != null) {
          update.setForceUpdate(true);
          update.setNewObjectId(id);
          if (Set.of(RefUpdate.Result.NEW, RefUpdate.Result.FORCED).contains(how.of(update))) {
            changed.add(ref);
          }
        }
      }
    }
    return changed;
  }

  private static CommitBuilder withoutFiles(ObjectInserter objects) throws IOException {
    CommitBuilder commit = new CommitBuilder();
    commit.setTreeId(objects.insert(new TreeFormatter()));
    commit.setAuthor(new PersonIdent("admin", "admin@example.com"));
    commit.setCommitter(commit.getAuthor());
    commit.setMessage("empty\n");
    return commit;
  }

  /** Runs a program that uses the library, and returns what it says. */
  String run(Class<?> program, String... arguments) throws IOException, InterruptedException {
    return programs.run(directory, CREDENTIALS, command(program, arguments)).ok();
  }

  /** Starts a program that uses the library. */
  Process start(Class<?> program, Path log, String... arguments) throws IOException {
    return programs.start(directory, CREDENTIALS, log.toFile(), command(program, arguments));
  }

  /** Starts a process that holds a lease, and returns when it does. */
  Process hold(String key) throws IOException, InterruptedException {
    Path log = Files.createTempFile(directory, "lease", ".txt");
    Process holder = start(HoldLease.class, log, key);
    while (!Files.readString(log).contains("holds")) {
      if (!holder.isAlive()) {
        throw new IOException("no lease, see " + log);
      }
      Thread.sleep(100);
    }
    return holder;
  }

  /** Ends a process of this store by kill -9. */
  void kill(Process process) throws InterruptedException {
    programs.kill(process);
  }

  private List<String> command(Class<?> program, String... arguments) {
    List<String> command = Programs.java(program);
    command.add(Integer.toString(port));
    command.addAll(List.of(arguments));
    return command;
  }

  int port() {
    return port;
  }

  /** All requests so far: operation, key and status. */
  List<String> requests() throws IOException {
    if (!Files.exists(accessLog)) {
      return List.of();
    }
    List<String> requests = new ArrayList<>();
    for (String line : Files.readAllLines(accessLog)) {
      Matcher request = REQUEST.matcher(line);
      if (request.find()) {
        requests.add(request.group(1) + " " + request.group(2) + " " + request.group(3));
      }
    }
    return requests;
  }

  /** All requests, once no other came for a while. */
  List<String> settledRequests() throws IOException, InterruptedException {
    List<String> requests = requests();
    for (long waited = 0; waited < MOST_MILLIS; waited += QUIET_MILLIS) {
      Thread.sleep(QUIET_MILLIS);
      List<String> now = requests();
      if (now.size() == requests.size()) {
        break;
      }
      requests = now;
    }
    return requests;
  }
}
