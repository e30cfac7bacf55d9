// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.internal.commit.ManifestCommitter;
import org.jgits3.internal.commit.Proposal;
import org.jgits3.internal.commit.StoredManifest;
import org.jgits3.internal.store.upload.PackUploads;
import org.jgits3.manifest.LogEntry;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.RefChange;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.manifest.StoredObject;
import org.jgits3.manifest.TransactionLog;
import org.jgits3.metrics.Counters;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.UploadOptions;

/** A log of very many transactions, made without making each of them. */
public final class LongLog {
  private final ManifestCommitter committer;
  private final LogObjects objects;
  private final LogCompaction compaction;
  private final Counters metrics = new Counters();
  private int transactions;

  /** Entries of a tail that make a fold due. */
  private static final int TAIL = 250;

  public LongLog(ObjectStore store, String repository) {
    this.committer =
        StoredManifest.committer(store, RepositoryName.of(repository), ManifestCommitter.DEADLINE);
    this.objects = new LogObjects(store, new PackUploads(store, UploadOptions.DEFAULT));
    this.compaction = new LogCompaction(objects, committer, metrics);
  }

  /** Id of the {@code i}th transaction. */
  public static ObjectId id(int i) {
    int n = i + 1;
    return new ObjectId(n, n, n, n, n);
  }

  /** Appends as many entries as make a compaction due, and another first one, in one commit. */
  public void append(RefChange first) throws IOException {
    List<RefChange> changes = new ArrayList<>();
    changes.add(first);
    while (changes.size() <= TAIL) {
      int i = transactions + changes.size();
      changes.add(new RefChange("refs/changes/" + i + "/meta", ObjectId.zeroId(), id(i)));
    }
    append(changes);
  }

  /** Appends an entry for each change, in one commit. */
  public void append(List<RefChange> changes) throws IOException {
    int number = transactions;
    committer.<Boolean>commit(
        base -> {
          List<LogEntry> tail = new ArrayList<>(base.log().tail());
          for (RefChange c : changes) {
            tail.add(
                entry(base.generation() + 1, number + tail.size(), List.of(c), Optional.empty()));
          }
          return Proposal.edit(base.withLog(new TransactionLog(base.log().segments(), tail)), true);
        });
    transactions += changes.size();
  }

  /** Appends one transaction whose changes are an object. */
  public void appendLarge(List<RefChange> changes) throws IOException {
    Optional<StoredObject> object = objects.writeIfLarge(manifest(), changes);
    assertThat(object).isPresent();
    int number = transactions++;
    committer.<Boolean>commit(
        base -> {
          List<LogEntry> tail = new ArrayList<>(base.log().tail());
          tail.add(entry(base.generation() + 1, number, List.of(), object));
          return Proposal.edit(base.withLog(new TransactionLog(base.log().segments(), tail)), true);
        });
  }

  private static LogEntry entry(
      long generation, int number, List<RefChange> changes, Optional<StoredObject> external) {
    return new LogEntry(
        generation,
        1_700_000_000_000L + number,
        60,
        "A U Thor",
        "author@example.com",
        "push " + number,
        changes,
        external);
  }

  public void compact() throws IOException {
    compaction.run(manifest());
  }

  LogCompaction compaction() {
    return compaction;
  }

  Counters metrics() {
    return metrics;
  }

  public Manifest manifest() throws IOException {
    return committer.validate().manifest();
  }

  public TransactionLog log() throws IOException {
    return manifest().log();
  }
}
