// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress.robust;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import org.eclipse.jgit.internal.storage.dfs.DfsRepositoryDescription;
import org.eclipse.jgit.internal.storage.dfs.InMemoryRepository;
import org.eclipse.jgit.internal.storage.pack.PackWriter;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectInserter;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.transport.PacketLineOut;
import org.eclipse.jgit.transport.ReceivePack;
import org.jgits3.Purpose;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.bench.report.Unit;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.PartBody;

/** Pushes to a repository that nothing maintains, whose manifest so fills with packs. */
final class UnmaintainedGrowth {
  static final String KEY = "snapshots_per_1000_pushes";

  /** Most that are asked for: pushes of one ref do not take the path of large batches. */
  private static final double SNAPSHOTS = 10;

  private static final int CLIENTS = 4;
  private static final int REFS = 2000;
  private static final String NAME = "growing";

  private final Bench bench;
  private final AtomicLong snapshots = new AtomicLong();
  private final AtomicLong snapshotBytes = new AtomicLong();
  private final AtomicLong bytes = new AtomicLong();

  UnmaintainedGrowth(Bench bench) {
    this.bench = bench;
  }

  void run() throws IOException, InterruptedException {
    String config = bench.config("growth");
    ObjectStore store =
        InterceptedStore.distant(InterceptedStore.of(Bench.store(config), this::count));
    try (S3RepositoryManager manager = new S3RepositoryManager(store, Bench.settings(config))) {
      try (S3Repository repository = manager.createRepository(NAME)) {
        Refs.createMany(repository, "refs/changes/", REFS, Refs.commit(repository, "first"));
        repository.getRefDatabase().compact();
      }
      snapshots.set(0);
      snapshotBytes.set(0);
      bytes.set(0);
      int bucket = bench.plan().bucket();
      for (int from = 0; from < bench.plan().packs(); from += bucket) {
        long start = System.nanoTime();
        push(manager, from, bucket);
        bench
            .findings()
            .note(
                "pushes to a repository of %,d packs that nothing merges".formatted(from),
                "directory, 20 ms a GET, 30 a PUT",
                Unit.PER_SECOND,
                bucket / Bench.seconds(System.nanoTime() - start));
      }
      note();
    }
  }

  private void note() {
    String title = "1,000 pushes to a repository that nothing maintains: ";
    double thousands = bench.plan().packs() / 1000.0;
    double each = snapshots.get() / thousands;
    Findings findings = bench.findings();
    findings.atMost(title + "snapshots", "directory", Unit.COUNT, each, SNAPSHOTS);
    findings.note(
        title + "uploaded, snapshots",
        "directory",
        Unit.MEGABYTES,
        snapshotBytes.get() / thousands / (1 << 20));
    findings.note(
        title + "uploaded in all",
        "directory",
        Unit.MEGABYTES,
        bytes.get() / thousands / (1 << 20));
    findings.headline(KEY, each);
  }

  private void count(String request, Object[] args) {
    long written =
        switch (request) {
          case "put" -> (int) args[3];
          case "putIf" -> ((byte[]) args[1]).length;
          case "uploadPart" -> ((PartBody) args[2]).size();
          default -> 0;
        };
    bytes.addAndGet(written);
    if (request.equals("put") && args[0] instanceof String key && key.contains("/refs/")) {
      snapshots.incrementAndGet();
      snapshotBytes.addAndGet(written);
    }
  }

  private static void push(S3RepositoryManager manager, int from, int count)
      throws IOException, InterruptedException {
    List<Callable<Void>> clients = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      int client = i;
      clients.add(
          () -> {
            for (int n = from + client; n < from + count; n += CLIENTS) {
              push(manager, n);
            }
            return null;
          });
    }
    Bench.together(clients);
  }

  /** Pushes a commit to a new branch, as a client does over HTTP. */
  private static void push(S3RepositoryManager manager, int number) throws IOException {
    String branch = "refs/heads/b" + number;
    ByteArrayOutputStream request = new ByteArrayOutputStream();
    try (Repository client = new InMemoryRepository(new DfsRepositoryDescription("client"));
        ObjectInserter inserter = client.newObjectInserter();
        PackWriter pack = new PackWriter(client)) {
      ObjectId id = Refs.commit(inserter, "commit " + number);
      inserter.flush();
      PacketLineOut lines = new PacketLineOut(request);
      lines.writeString(
          ObjectId.zeroId().name() + " " + id.name() + " " + branch + "\0report-status");
      lines.end();
      pack.preparePack(NullProgressMonitor.INSTANCE, Set.of(id), Set.of());
      pack.writePack(NullProgressMonitor.INSTANCE, NullProgressMonitor.INSTANCE, request);
    }
    ByteArrayOutputStream report = new ByteArrayOutputStream();
    try (S3Repository repository = manager.openRepository(NAME, Purpose.push())) {
      ReceivePack receive = new ReceivePack(repository);
      receive.setBiDirectionalPipe(false);
      receive.receive(new ByteArrayInputStream(request.toByteArray()), report, null);
    }
    if (!report.toString(UTF_8).contains("ok " + branch)) {
      throw new IOException("push " + number + ": " + report.toString(UTF_8).strip());
    }
  }
}
