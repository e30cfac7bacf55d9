// SPDX-License-Identifier: Apache-2.0
package org.jgits3.simulation.world;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.internal.catalog.RepositoryCatalog;
import org.jgits3.internal.commit.ManifestChange;
import org.jgits3.internal.commit.ManifestCommitter;
import org.jgits3.internal.commit.Proposal;
import org.jgits3.manifest.LogEntry;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.RefChange;
import org.jgits3.manifest.RefValue;
import org.jgits3.manifest.Refs;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.manifest.RepositorySettings;
import org.jgits3.manifest.TransactionLog;
import org.jgits3.manifest.UnknownOutcomeException;
import org.jgits3.simulation.Scheduler;
import org.jgits3.store.ObjectStore;

/** Processes that write manifests and pointers, without a manager. */
public abstract class ManifestWorld extends ProcessesWorld {
  private static final int REFS = 2;
  private static final int FEW = 2;
  private static final int MANY = 100;
  private static final Duration LONG = Duration.ofSeconds(20);

  /** Writers that a manifest remembers; the library reads it. */
  public static int remembered = FEW;

  Duration deadline;

  private int values;

  ManifestWorld() {}

  /** Makes what a run begins with, and starts its processes. */
  abstract void begin() throws IOException;

  /** Checks what is there at the end. */
  abstract void check(Client client) throws IOException;

  @Override
  public final void run(Scheduler of) throws Exception {
    begin(of, "op");
    deadline = random.nextInt(4) == 0 ? Duration.ofMillis(200) : LONG;
    Trouble trouble = Trouble.of(random);
    boolean copies = random.nextBoolean();
    remembered = copies ? MANY : FEW; // by which a copy of a request is found (A14d)
    left = 6 + random.nextInt(10);
    begin();
    bucket.trouble(copies ? trouble : trouble.withoutCopies());
    end();
    check(new Client(bucket, new Scheduler.Jvm("check", 0)));
  }

  RepositoryCatalog catalog(ObjectStore client) {
    return new RepositoryCatalog(client, deadline);
  }

  static RepositoryName name(String text) {
    return RepositoryName.of(text);
  }

  void create(ObjectStore client, String name) {
    naming(Names.Kind.CREATE, Optional.empty(), name, () -> created(client, name));
  }

  String created(ObjectStore client, String name) throws IOException {
    Refs none = new Refs(List.of(), new TreeMap<>(), new TreeMap<>());
    return catalog(client)
        .create(name(name), RepositorySettings.NONE, none)
        .manifest()
        .repositoryId();
  }

  void rename(ObjectStore client, Optional<String> known, String from, String to) {
    naming(
        Names.Kind.RENAME,
        Optional.of(from),
        to,
        () -> catalog(client).rename(known, name(from), name(to)));
  }

  void delete(ObjectStore client, Optional<String> known, String name) {
    naming(
        Names.Kind.DELETE,
        Optional.empty(),
        name,
        () -> catalog(client).delete(known, name(name), any -> {}));
  }

  /** Checks that names can be taken if they are free. */
  void checkAlone(Client client, List<String> names) {
    history
        .naming()
        .checkAlone(
            names,
            name -> created(client, name),
            (from, to) -> catalog(client).rename(Optional.empty(), name(from), name(to)));
  }

  void look(String name, ManifestCommitter committer) {
    int began = history.now();
    try {
      Manifest seen = committer.validate().manifest();
      Map<String, String> refs = new TreeMap<>();
      seen.refs().overlay().forEach((ref, value) -> refs.put(ref, id(value)));
      history.looked(name, began, refs);
    } catch (IOException e) {
      scheduler.trace(e::toString);
    }
  }

  private static String id(RefValue value) {
    return value instanceof RefValue.Direct direct ? direct.id().name() : "";
  }

  void update(String name, ManifestCommitter committer) {
    Map<String, String> now = history.refs(name);
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
    update(name, committer, changes);
  }

  void update(String name, ManifestCommitter committer, List<History.Change> changes) {
    History.Operation operation = history.begin(name, changes);
    operation.of(committer.cached().map(known -> known.manifest().repositoryId()));
    try {
      boolean done = committer.commit(change(operation));
      history.end(operation, done ? History.Report.OK : History.Report.REFUSED);
    } catch (UnknownOutcomeException e) {
      history.end(operation, History.Report.UNKNOWN);
    } catch (IOException e) {
      history.end(operation, History.Report.NOT_WRITTEN);
    }
  }

  static String value(int number) {
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
}
