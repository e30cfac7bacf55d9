// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress.torture;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.Purpose;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.bench.git.GitClient;
import org.jgits3.bench.process.ScratchDirectory;
import org.jgits3.verify.NameCheck;
import org.jgits3.verify.Verification;

/** Judges what processes were told, when all have ended and nothing disturbs any more. */
final class Judgement {
  private static final int MOST_SHOWN = 20;
  private static final Duration LIMIT = Duration.ofMinutes(5);

  private final S3RepositoryManager manager;
  private final Path directory;
  private final HistoryCheck check;
  private final GitClient git;
  private final String url;
  private final List<String> lost = new ArrayList<>();
  private final List<String> anomalies = new ArrayList<>();

  Judgement(
      S3RepositoryManager manager, Path directory, HistoryCheck check, GitClient git, String url) {
    this.manager = manager;
    this.directory = directory;
    this.check = check;
    this.git = git;
    this.url = url;
  }

  Verdict verdict(FaultProxy proxy, Workers workers) throws IOException, InterruptedException {
    anomalies.addAll(workers.endedThemselves());
    for (String finding : lines(Clerk.FINDINGS)) {
      String what = finding.split(" ", 2)[1];
      (what.startsWith("lost") ? lost : anomalies).add(what);
    }
    new NameCheck(manager.store())
        .run(false)
        .forEach(found -> lost.add("lost: " + found.key() + ": " + found.problem()));
    // Names that killed processes have left are listed no more; those of lost manifests are.
    new NameCheck(manager.store())
        .run(true).stream()
            .filter(found -> !found.repaired())
            .forEach(found -> lost.add("lost: " + found.key() + ": " + found.problem()));
    Map<String, String> repositories = repositories();
    readAll(repositories);
    check.judge(files(Clerk.HISTORY)).ifPresent(anomalies::add);
    checkObjects(repositories);
    for (String name : repositories.values()) {
      judge(name, () -> verify(name));
    }
    List<String> report = new ArrayList<>();
    lost.stream().limit(MOST_SHOWN).forEach(report::add);
    anomalies.stream().limit(MOST_SHOWN).forEach(report::add);
    return new Verdict(
        operations(),
        proxy.faults(),
        workers.kills(),
        lost.size(),
        anomalies.size(),
        counts(proxy, workers),
        report);
  }

  /** A step of the judgement that reads what the store holds. */
  @FunctionalInterface
  private interface Step {
    void run() throws IOException, InterruptedException;
  }

  /** Takes a step; a repository that cannot be read now, with nothing in the way, is lost. */
  private void judge(String name, Step step) throws InterruptedException {
    try {
      step.run();
    } catch (IOException e) {
      lost.add("lost: " + name + ": " + e.getMessage());
    }
  }

  private Map<String, Long> counts(FaultProxy proxy, Workers workers) throws IOException {
    Map<String, Long> counts = new TreeMap<>();
    for (Fault fault : Fault.values()) {
      counts.put("fault " + fault.words(), proxy.count(fault));
    }
    counts.put("fault connection refused", proxy.refusals());
    counts.put("stopped for " + TortureRun.MILLIS_STOPPED + " ms", workers.stops());
    for (String line : lines(Clerk.HISTORY)) {
      String[] words = line.split(" ", 6);
      boolean begins = words[0].equals("begin");
      counts.merge(begins ? words[4] : "answer " + words[3], 1L, Long::sum);
    }
    for (String line : lines(Clerk.WORK)) {
      counts.merge(line.split(" ", 3)[1], 1L, Long::sum);
    }
    return counts;
  }

  private List<Path> files(String beginning) throws IOException {
    try (Stream<Path> all = Files.list(directory)) {
      return all.filter(f -> f.getFileName().toString().startsWith(beginning)).sorted().toList();
    }
  }

  /** All whole lines of some files. */
  private List<String> lines(String beginning) throws IOException {
    List<String> lines = new ArrayList<>();
    for (Path file : files(beginning)) {
      String text = Files.readString(file);
      text.substring(0, text.lastIndexOf('\n') + 1).lines().forEach(lines::add);
    }
    return lines;
  }

  private long operations() throws IOException {
    long refs = lines(Clerk.HISTORY).stream().filter(line -> line.startsWith("begin ")).count();
    return refs + lines(Clerk.WORK).size();
  }

  /** Names of the repositories there are, by their ids. */
  private Map<String, String> repositories() throws IOException, InterruptedException {
    Map<String, String> names = new TreeMap<>();
    for (String name : manager.list()) {
      judge(name, () -> addRepository(names, name));
    }
    return names;
  }

  private void addRepository(Map<String, String> names, String name) throws IOException {
    try (S3Repository repository = manager.openRepository(name, Purpose.request())) {
      String other = names.put(repository.manifest().repositoryId(), name);
      if (other != null) {
        lost.add("lost: " + name + " and " + other + " are the same repository");
      }
    }
  }

  /** Adds the last look-up of all refs to the history. */
  private void readAll(Map<String, String> repositories) throws IOException, InterruptedException {
    Map<String, Set<String>> groups = new TreeMap<>();
    for (String line : lines(Clerk.HISTORY)) {
      String[] words = line.split(" ", -1);
      if (words[0].equals("begin")) {
        Set<String> names = groups.computeIfAbsent(words[3], g -> new TreeSet<>(Family.NAMES));
        Stream.of(words).skip(5).forEach(change -> names.add(change.split("=", 2)[0]));
      }
    }
    groups.remove(Names.GROUP);
    try (Clerk clerk = Clerk.of(directory, "end")) {
      for (String name : TortureRun.PASSING) {
        judge(name, () -> Names.lookUp(manager, clerk, name));
      }
      for (var group : groups.entrySet()) {
        Family family = Family.of(group.getKey());
        String name = repositories.get(family.repositoryId());
        if (name != null) {
          judge(name, () -> read(clerk, family, name, group.getValue()));
        }
      }
    }
  }

  private void read(Clerk clerk, Family family, String name, Set<String> refs) throws IOException {
    long began = System.nanoTime();
    try (S3Repository repository = manager.openRepository(name, Purpose.request())) {
      Map<String, String> values = new TreeMap<>();
      for (String each : refs) {
        values.put(each, RefWork.value(family, repository.exactRef(family.ref(each))));
      }
      clerk.read(began, family.group(), values);
    }
  }

  private void checkObjects(Map<String, String> repositories)
      throws IOException, InterruptedException {
    for (String line : lines(Clerk.OBJECTS)) {
      String[] words = line.split(" ", 2);
      String name = repositories.get(words[0]);
      if (name != null) {
        judge(name, () -> checkObject(name, ObjectId.fromString(words[1])));
      }
    }
  }

  private void checkObject(String name, ObjectId id) throws IOException {
    try (S3Repository repository = manager.openRepository(name)) {
      if (!prunes(repository)) {
        Commits.check(repository, id);
      }
    } catch (IllegalStateException e) {
      lost.add("lost: " + name + ": " + e.getMessage());
    }
  }

  /** Tests whether objects that no ref leads to may be gone. */
  private static boolean prunes(S3Repository repository) throws IOException {
    return repository.getConfig().getString("gc", null, "pruneExpire") != null;
  }

  /** Clones a repository by git, and lets git check every object. */
  private void cloneAndCheck(String name) throws IOException, InterruptedException {
    Path clone = directory.resolveSibling("clone-of-" + name.replace('/', '-'));
    GitClient.Ended checked = git.cloneAndCheck(url + name + ".git", clone, LIMIT);
    if (!checked.succeeded()) {
      lost.add("lost: a clone of " + name + ": " + checked.printed() + checked.errors());
    }
    ScratchDirectory.delete(clone);
  }

  private void verify(String name) throws IOException, InterruptedException {
    Verification.Report report = new Verification(manager, NullProgressMonitor.INSTANCE).run(name);
    cloneAndCheck(name);
    report.findings().forEach(f -> lost.add("lost: " + name + ": " + f.key() + ": " + f.problem()));
  }
}
