// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.torture;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.maintenance.Verification;

/** Judges what processes were told, when all have ended and nothing disturbs any more. */
final class Judgement {
  private static final int MOST_SHOWN = 20;

  private final S3RepositoryManager manager;
  private final Path directory;
  private final HistoryCheck check;
  private final List<String> lost = new ArrayList<>();
  private final List<String> anomalies = new ArrayList<>();

  Judgement(S3RepositoryManager manager, Path directory, HistoryCheck check) {
    this.manager = manager;
    this.directory = directory;
    this.check = check;
  }

  Verdict verdict(FaultProxy proxy, Workers workers) throws IOException, InterruptedException {
    anomalies.addAll(workers.endedThemselves());
    for (String finding : lines(Clerk.FINDINGS)) {
      String what = finding.split(" ", 2)[1];
      (what.startsWith("lost") ? lost : anomalies).add(what);
    }
    Map<String, String> repositories = repositories();
    readAll(repositories);
    check.judge(files(Clerk.HISTORY)).ifPresent(anomalies::add);
    checkObjects(repositories);
    for (String name : repositories.values()) {
      verify(name);
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
  private Map<String, String> repositories() throws IOException {
    Map<String, String> names = new TreeMap<>();
    for (String name : manager.list()) {
      try (S3Repository repository = manager.openForRequest(name)) {
        names.put(repository.manifest().repositoryId(), name);
      }
    }
    return names;
  }

  /** Adds the last look-up of all refs to the history. */
  private void readAll(Map<String, String> repositories) throws IOException {
    Set<String> groups = new HashSet<>();
    lines(Clerk.HISTORY).stream()
        .filter(line -> line.startsWith("begin "))
        .forEach(line -> groups.add(line.split(" ", 5)[3]));
    try (Clerk clerk = Clerk.of(directory, "end")) {
      for (String group : groups) {
        Family family = Family.of(group);
        String name = repositories.get(family.repositoryId());
        if (name != null) {
          read(clerk, family, name);
        }
      }
    }
  }

  private void read(Clerk clerk, Family family, String name) throws IOException {
    long began = System.nanoTime();
    try (S3Repository repository = manager.openForRequest(name)) {
      Map<String, String> values = new TreeMap<>();
      for (String each : Family.NAMES) {
        values.put(each, RefWork.value(family, repository.exactRef(family.ref(each))));
      }
      clerk.read(began, family.group(), values);
    }
  }

  private void checkObjects(Map<String, String> repositories) throws IOException {
    for (String line : lines(Clerk.OBJECTS)) {
      String[] words = line.split(" ", 2);
      Optional<String> name = Optional.ofNullable(repositories.get(words[0]));
      if (name.isPresent()) {
        checkObject(name.get(), ObjectId.fromString(words[1]));
      }
    }
  }

  private void checkObject(String name, ObjectId id) throws IOException {
    try (S3Repository repository = manager.openRepository(name)) {
      Commits.check(repository, id);
    } catch (IOException | IllegalStateException e) {
      lost.add("lost: " + name + ": " + e.getMessage());
    }
  }

  private void verify(String name) throws IOException {
    Verification.Report report = manager.maintenance(name).verify(NullProgressMonitor.INSTANCE);
    report.findings().forEach(f -> lost.add("lost: " + name + ": " + f.key() + ": " + f.problem()));
  }
}
