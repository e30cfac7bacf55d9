// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.commit;

import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.random.RandomGenerator;
import org.jgits3.internal.concurrent.SharedRequest;
import org.jgits3.internal.concurrent.Uninterrupted;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.UnknownOutcomeException;
import org.jgits3.manifest.VersionedManifest;

/**
 * The commit loop of one repository in one process: all its changes go through here, and all its
 * readers share the manifest held here.
 *
 * <p>It has no thread of its own: one of the waiting callers at a time makes the next request for
 * all of them. A caller leaves when its own change is decided, and another one continues.
 *
 * <p>An interrupt ends neither a commit nor a validation, because their outcome would stay unknown;
 * the interrupted status is kept for the caller to see.
 *
 * <p>Safe for use by many threads.
 */
public final class ManifestCommitter implements Closeable {
  /** Time that a change is given by default. */
  public static final Duration DEADLINE = Duration.ofSeconds(30);

  private final ManifestFile file;
  private final Duration limit;
  private final Ticker ticker;
  private final SharedRequest<VersionedManifest> validation;
  private final CommitLoop loop;

  // Guarded by this.
  private final Queue<SubmittedChange<?>> queue = new ArrayDeque<>();
  private boolean stepping; // the thread that sets it has the loop to itself
  private int callers;
  private boolean closed;

  /**
   * A committer for one repository. Makes no request.
   *
   * @param file its manifest
   * @param limit time from the submission of a change until it is reported as unknown
   */
  public ManifestCommitter(ManifestFile file, Duration limit) {
    this(file, limit, Ticker.SYSTEM, new SplittableRandom());
  }

  /**
   * Creates a committer with its own clock and randomness.
   *
   * @param file its manifest
   * @param limit time from the submission of a change until it is reported as unknown
   * @param ticker time
   * @param random for pauses
   */
  public ManifestCommitter(
      ManifestFile file, Duration limit, Ticker ticker, RandomGenerator random) {
    this.limit = limit;
    this.ticker = ticker;
    this.file = file;
    this.validation =
        new SharedRequest<>(file.toString(), () -> file.validate(ManifestFile.AS_LONG_AS_ANY));
    this.loop = new CommitLoop(file, this::takeQueue, ticker, random);
  }

  /**
   * Key of the manifest.
   *
   * @return the key; that of the name's pointer before the first {@link #validate} or {@link
   *     #commit}
   */
  public String key() {
    return file.key();
  }

  /**
   * The newest manifest this process has seen, without asking the store. Its generation never goes
   * back.
   *
   * @return the manifest; empty before the first {@link #validate} or {@link #commit}
   */
  public Optional<VersionedManifest> cached() {
    return file.newest();
  }

  /**
   * Returns the newest manifest known; asks the store if there is none.
   *
   * @return the manifest
   * @throws IOException as {@link #validate} does
   */
  public Manifest known() throws IOException {
    Optional<VersionedManifest> cached = cached();
    return (cached.isPresent() ? cached.get() : validate()).manifest();
  }

  /**
   * Tests whether the manifest's version tells that it has not changed.
   *
   * @return the value given to the constructor
   */
  public boolean trusted() {
    return file.trusted();
  }

  /**
   * Tests whether the last answer said that the repository no longer has its name. Such a committer
   * is of no further use.
   *
   * @return true if so, and after {@link #end}; otherwise false before the first {@link #validate}
   *     or {@link #commit}
   */
  public boolean isGone() {
    return file.isGone();
  }

  /**
   * Notes that the caller has deleted or renamed the repository. {@link #isGone} is true from then
   * on, so that every look-up asks the store. Makes no request.
   */
  public void end() {
    file.end();
  }

  /**
   * Takes a manifest of the repository that the caller has read or written. Makes no request.
   *
   * @param manifest the manifest
   * @throws ManifestException.Gone if it has another name by now, or another repository its name
   */
  public void created(VersionedManifest manifest) throws ManifestException.Gone {
    if (!file.is(manifest.manifest().repositoryId())) {
      throw file.gone(Optional.empty());
    }
    try {
      file.accept(Optional.of(manifest), 0); // written before any caller of this committer came
    } finally {
      file.announce();
    }
  }

  /**
   * The manifest as of some moment after this call began: one GET, shared with callers that arrived
   * before it was sent.
   *
   * @return the manifest of a repository that has the name
   * @throws ManifestException.Gone if there is no such repository, it was deleted, or it has
   *     another name
   * @throws IOException if the manifest cannot be read
   */
  public VersionedManifest validate() throws IOException {
    try {
      return validation.get();
    } finally {
      file.announce();
    }
  }

  /**
   * Commits a change. Blocks until it is decided. Changes that wait together share one PUT. The
   * decision may come later than the deadline by the two requests that tell the outcome of a write
   * under way.
   *
   * @param <R> type of the verdict
   * @param change the change
   * @return its verdict, based on a write acknowledged, or a validation started, after this call
   * @throws ManifestException.NotCommitted if the deadline passed and nothing was written
   * @throws UnknownOutcomeException if the deadline passed first
   * @throws ManifestException if the manifest does not allow the change
   * @throws IOException if the store refused, or {@link ManifestChange#propose} failed; nothing was
   *     written
   * @throws IllegalStateException if this committer is closed
   */
  public <R> R commit(ManifestChange<R> change) throws IOException {
    return commit(change, List.of());
  }

  /**
   * Commits a change as {@link #commit(ManifestChange)}, together with packs. If the change alters
   * the manifest, its write lists those of them that none has listed. Otherwise they stay hidden.
   *
   * @param <R> type of the verdict
   * @param change the change; one that proposes its base lists the packs alone
   * @param packs the packs; none of them depends on a later one
   * @return the verdict
   * @throws UnlistedPack.LostException if one of the packs may never be listed
   * @throws IOException as {@link #commit(ManifestChange)}
   */
  public <R> R commit(ManifestChange<R> change, List<UnlistedPack> packs) throws IOException {
    SubmittedChange<R> mine = submit(change, packs);
    try {
      while (!mine.decided()) {
        Uninterrupted.await(() -> advance(mine));
        file.announce();
      }
    } finally {
      leave(mine);
    }
    return mine.get();
  }

  /**
   * Tests whether this process has committed a generation, through this committer.
   *
   * @param generation generation of the repository
   * @return true only if so; false also for an old one that is no longer remembered
   */
  public boolean hasCommitted(long generation) {
    return file.hasCommitted(generation);
  }

  /**
   * Calls a listener whenever a newer manifest was committed here or observed, with the previous
   * one (null at first) and the new one. Calls are in order of generation, one at a time, on a
   * thread that learned of a newer manifest.
   *
   * @param listener called without locks held; must be quick and not throw
   */
  public void onChange(BiConsumer<Manifest, Manifest> listener) {
    file.onChange(listener);
  }

  /** Waits for the changes submitted before and refuses further ones. */
  @Override
  public synchronized void close() {
    closed = true;
    Uninterrupted.await(
        () -> {
          while (callers > 0) {
            wait();
          }
        });
  }

  private synchronized <R> SubmittedChange<R> submit(
      ManifestChange<R> change, List<UnlistedPack> packs) {
    if (closed) {
      throw new IllegalStateException(file + ": closed");
    }
    long deadline = ticker.nanoTime() + limit.toNanos();
    SubmittedChange<R> submitted = new SubmittedChange<>(change, packs, file.arrive(), deadline);
    queue.add(submitted);
    submitted.enter();
    callers++; // last: a caller that ran out of memory before is never counted off
    return submitted;
  }

  /** Does the next step of the loop, once no other thread is doing one, if it is still needed. */
  private void advance(SubmittedChange<?> mine) throws InterruptedException {
    if (!takeTurn(mine)) {
      return;
    }
    try {
      loop.step(mine.deadline());
    } finally {
      endTurn();
    }
  }

  /**
   * Waits for the loop; false if the change was decided meanwhile, or its deadline passed. A change
   * that was sent waits for the answer even past its deadline, unless an attempt is in doubt.
   */
  private synchronized boolean takeTurn(SubmittedChange<?> mine) throws InterruptedException {
    while (!mine.decided()) {
      long left = mine.deadline() - ticker.nanoTime();
      if (stepping && left > 0) {
        TimeUnit.NANOSECONDS.timedWait(this, left);
      } else if (!stepping && (left > 0 || loop.isAboutToKnow())) {
        stepping = true;
        return true;
      } else if (!loop.expire(mine, limit, stepping)) {
        wait(); // for the end of this turn or of the next, which decides it
      }
    }
    return false;
  }

  private synchronized void endTurn() {
    stepping = false;
    try {
      loop.expireLate(limit); // before the next turn resends them
    } finally {
      notifyAll();
    }
  }

  private synchronized void leave(SubmittedChange<?> mine) {
    queue.remove(mine);
    mine.abandon();
    callers--;
    notifyAll();
  }

  private synchronized List<SubmittedChange<?>> takeQueue() {
    List<SubmittedChange<?>> taken = new ArrayList<>(queue);
    queue.clear();
    return taken;
  }
}
