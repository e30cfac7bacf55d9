// SPDX-License-Identifier: Apache-2.0
package org.jgits3.simulation.world;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.internal.catalog.RepositoryCatalog;
import org.jgits3.internal.commit.CommitPolicy;
import org.jgits3.internal.commit.ManifestChange;
import org.jgits3.internal.commit.ManifestCommitter;
import org.jgits3.internal.commit.ManifestCounters;
import org.jgits3.internal.commit.ManifestReads;
import org.jgits3.internal.commit.Proposal;
import org.jgits3.manifest.LogEntry;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.RefChange;
import org.jgits3.manifest.RefValue;
import org.jgits3.manifest.Refs;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.manifest.RepositorySettings;
import org.jgits3.manifest.TransactionLog;
import org.jgits3.manifest.UnknownOutcomeException;
import org.jgits3.simulation.Scheduler;
import org.jgits3.simulation.World;

/**
 * The commit loop alone: two or three processes, with one or two threads each, change values in a
 * manifest by comparison. Names are deleted, created anew and renamed meanwhile.
 */
public final class CommitWorld implements World {
  private static final String NAME = "r";
  private static final String OTHER = "s";
  private static final int REFS = 2;

  private static final int FEW = 3;
  private static final int MANY = 100;

  /** Writers that a manifest remembers; the library reads it. */
  public static int remembered = FEW;

  private Scheduler scheduler;
  private SplittableRandom random;
  private History history;
  private Bucket bucket;
  private CommitPolicy policy;
  private int left;
  private int running;
  private int processes;
  private int values;

  /** Makes a world. */
  public CommitWorld() {}

  @Override
  public void run(Scheduler of) throws Exception {
    scheduler = of;
    random = of.random();
    history = new History(of, "op");
    bucket = new Bucket(of, history);
    policy = new CommitPolicy(Duration.ofMillis(random.nextInt(4) == 0 ? 200 : 20_000));
    create(new Client(bucket, new Scheduler.Jvm("setup", 0)), NAME);
    boolean renames = random.nextInt(4) == 0;
    Trouble trouble = Trouble.of(random);
    boolean copies = random.nextBoolean();
    remembered = copies ? MANY : FEW; // by which a copy of a request is found (A14d)
    bucket.trouble(copies ? trouble : trouble.withoutCopies());
    left = 6 + random.nextInt(10);
    int count = 2 + random.nextInt(2);
    for (int i = 0; i < count; i++) {
      start();
    }
    if (renames) {
      startCatalog();
    }
    of.await(() -> running == 0);
    bucket.trouble(Trouble.NONE);
    bucket.deliverAll();
    history.checkAll();
    checkNames(new Client(bucket, new Scheduler.Jvm("check", 0)));
  }

  /** Finishes renames whose process has died, or was not told that they ended. */
  private void checkNames(Client client) throws IOException {
    for (String name : List.of(NAME, OTHER)) {
      if (history.isMoving(name)) {
        String to = name.equals(NAME) ? OTHER : NAME;
        catalog(client).rename(RepositoryName.of(name), RepositoryName.of(to));
      }
    }
    history.checkNames();
  }

  private void create(Client client, String name) throws IOException {
    catalog(client)
        .create(
            RepositoryName.of(name),
            RepositorySettings.NONE,
            new Refs(Optional.empty(), new TreeMap<>(), new TreeMap<>()));
  }

  private RepositoryCatalog catalog(Client client) {
    return new RepositoryCatalog(client, policy);
  }

  private Scheduler.Jvm process() {
    return new Scheduler.Jvm("p" + processes++, 0);
  }

  /** Starts a process, and another one once it is dead. */
  private void start() {
    Scheduler.Jvm process = process();
    Client client = new Client(bucket, process);
    ManifestCommitter committer =
        new ManifestCommitter(
            client,
            RepositoryName.of(NAME),
            policy,
            random.nextInt(5) == 0 ? ManifestReads.COMPARED : ManifestReads.VALIDATED,
            new ManifestCounters());
    int threads = 1 + random.nextInt(2);
    for (int i = 0; i < threads; i++) {
      boolean first = i == 0;
      running++;
      scheduler.spawn(
          process,
          process + "." + i,
          () -> work(committer),
          () -> {
            running--;
            if (first && process.dead() && left > 0) {
              start();
            }
          });
    }
  }

  private void work(ManifestCommitter first) {
    ManifestCommitter committer = first;
    while (left > 0) {
      left--;
      if (committer.isGone()) {
        Client client = new Client(bucket, org.jgits3.simulation.Here.process());
        committer =
            new ManifestCommitter(
                client,
                RepositoryName.of(NAME),
                policy,
                ManifestReads.VALIDATED,
                new ManifestCounters());
      }
      if (random.nextInt(6) == 0) {
        look(committer);
      } else {
        update(committer);
      }
    }
  }

  private void look(ManifestCommitter committer) {
    int began = history.now();
    try {
      Manifest seen = committer.validate().manifest();
      Map<String, String> refs = new TreeMap<>();
      seen.refs().overlay().forEach((name, value) -> refs.put(name, id(value)));
      history.looked(NAME, began, refs);
    } catch (IOException e) {
      scheduler.trace(e.toString());
    }
  }

  private static String id(RefValue value) {
    return value instanceof RefValue.Direct direct ? direct.id().name() : "";
  }

  private void update(ManifestCommitter committer) {
    Map<String, String> now = history.refs(NAME);
    int count = 1 + random.nextInt(REFS);
    int first = random.nextInt(REFS);
    List<History.Change> changes = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      String ref = "refs/heads/" + (first + i) % REFS;
      String expected =
          switch (random.nextInt(4)) {
            case 0 -> null;
            case 1 -> values == 0 ? "" : value(random.nextInt(values));
            default -> now == null ? "" : now.getOrDefault(ref, "");
          };
      changes.add(new History.Change(ref, expected, value(values++)));
    }
    History.Operation operation = history.begin(NAME, changes);
    operation.of(committer.cached().map(known -> known.manifest().repositoryId()));
    try {
      boolean done = committer.commit(change(operation));
      history.end(operation, done ? History.Report.OK : History.Report.REFUSED);
    } catch (UnknownOutcomeException e) {
      history.end(operation, History.Report.UNKNOWN);
    } catch (ManifestException.NotCommitted | ManifestException.Gone e) {
      history.end(operation, History.Report.NOT_WRITTEN);
    } catch (IOException e) {
      history.end(operation, History.Report.NOT_WRITTEN);
    }
  }

  private static String value(int number) {
    return String.format("%040x", number + 1);
  }

  private static ManifestChange<Boolean> change(History.Operation operation) {
    return base -> {
      TreeMap<String, RefValue> overlay = new TreeMap<>(base.refs().overlay());
      List<RefChange> logged = new ArrayList<>();
      for (History.Change each : operation.changes()) {
        RefValue before = overlay.get(each.ref());
        String now = before == null ? "" : id(before);
        if (each.expected() != null && !each.expected().equals(now)) {
          return Proposal.noEdit(false);
        }
        ObjectId to = ObjectId.fromString(each.to());
        overlay.put(each.ref(), new RefValue.Direct(to, Optional.empty()));
        logged.add(
            new RefChange(
                each.ref(), now.isEmpty() ? ObjectId.zeroId() : ObjectId.fromString(now), to));
      }
      List<LogEntry> tail = new ArrayList<>(base.log().tail());
      tail.add(
          new LogEntry(
              base.generation() + 1, 0, 0, "n", "e", operation.id(), logged, Optional.empty()));
      return Proposal.edit(
          base.withRefs(base.refs().with(overlay, base.refs().symrefs()))
              .withLog(new TransactionLog(base.log().segments(), tail)),
          true);
    };
  }

  /** A process that deletes, creates and renames. */
  private void startCatalog() {
    Scheduler.Jvm process = process();
    running++;
    scheduler.spawn(
        process,
        process.toString(),
        () -> {
          Client client = new Client(bucket, process);
          for (int i = 0; i < 4 && left > 0; i++) {
            try {
              administer(client);
            } catch (IOException e) {
              scheduler.trace(e.toString());
            }
          }
        },
        () -> running--);
  }

  private void administer(Client client) throws IOException {
    RepositoryName from = RepositoryName.of(random.nextBoolean() ? NAME : OTHER);
    RepositoryName to = RepositoryName.of(from.value().equals(NAME) ? OTHER : NAME);
    switch (random.nextInt(3)) {
      case 0 -> {
        scheduler.trace("delete " + from);
        catalog(client).delete(from);
      }
      case 1 -> {
        scheduler.trace("create " + from);
        create(client, from.value());
      }
      default -> {
        scheduler.trace("rename " + from + " to " + to);
        catalog(client).rename(from, to);
      }
    }
  }
}
