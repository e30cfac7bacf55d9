// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack.limit;

import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.eclipse.jgit.annotations.Nullable;
import org.eclipse.jgit.errors.TransportException;
import org.eclipse.jgit.lib.AnyObjectId;
import org.jgits3.metrics.MemoryUse;

/**
 * Limits of pushes and fetches. A pack of a few megabytes can describe objects of petabytes: deltas
 * that copy the object before, or a stream that inflates for ever.
 *
 * <p>All pushes and fetches of a process together may take some heap for objects: pushes for those
 * of their packs, fetches for those that they name, walk through and send. Its size is {@code [s3
 * "receive"] memoryLimit}, which bounds fetches too. A request that does not fit is refused before
 * its objects take memory. Only a clone waits, for all of its memory at once: requests that hold a
 * share while they wait for more could wait for each other.
 *
 * <p>Counts the memory that grows with a pack: the number of objects, the largest object that JGit
 * holds as a whole (any but a blob that is no base of a delta), and the bases that it keeps for
 * more than one delta. The other memory of a push is bounded; a server limits its total by the
 * number of concurrent requests.
 *
 * <p>Safe for use by many threads.
 */
public final class TransferLimits implements MemoryUse {
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  /**
   * Bytes for each object of a pack, from its header until the refs have moved: entries of the
   * parser, index, and what the check of connectivity notes. Measured: 180, with 300,000 blobs.
   */
  static final long OBJECT_BYTES = 200;

  /**
   * Bytes for each object that a fetch sends, until its pack is sent: JGit's state for walking and
   * packing it. Measured: 170, with a clone of 135,365 objects. A commit that a fetch only walks
   * through counts as much. Measured: 122, with 300,000 of one tree; one of its own takes 40.
   */
  public static final long SENT_BYTES = 200;

  /**
   * Number of objects that every fetch may send or walk through without taking memory; also the
   * step in which memory for more is taken.
   */
  static final int STEP = 1_000;

  /** Copies of an object that resolving a delta has at a time: base, delta and result. */
  static final int COPIES = 3;

  /**
   * Number of bytes of an object that take as much memory as one byte of a parsed configuration.
   */
  static final int CONFIG_FACTOR = 12;

  /** Bytes of an object, or of bases, for which no memory is taken: any push may hold as many. */
  static final long SMALL_OBJECT = 256 << 10;

  /** Part of the processor time of a push that may go into comparisons of commits. */
  private static final int COMPARING = 1_000;

  /** Bytes of a tree for which no memory is taken: any fetch may hold as many. */
  static final long SMALL_TREE = 4 << 20;

  /**
   * Bytes for each byte of a fetch request, in which a line of 50 bytes names an object: entries of
   * lists and sets, and the state of each look-up.
   */
  static final int NAMES_FACTOR = 4;

  /**
   * Most parents of a pushed commit. To read one, JGit takes time for the square of their number if
   * their ids are alike: measured 2 s for 40,000. A delta may make such a commit of a hundred
   * bytes.
   */
  static final int MOST_PARENTS = 1 << 10;

  private static final String COLLECTED = ", far fewer after jgit-s3 gc,";
  private static final String WHOLE = ", far fewer after jgit-s3 gc and without a depth,";

  /** The longest wait of a clone, as long as a request waits for its turn. */
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private static final double MIB = 1 << 20;

  private final long limit;
  private final int deltaDepth;
  private final Duration processorTime;
  private long taken; // guarded by this

  /**
   * Limits, of which nothing is taken.
   *
   * @param memory bytes that all requests together may take; 0 for no limit
   * @param deltaDepth most deltas between an object and one that is no delta: every reader of the
   *     object applies them
   * @param processorTime maximum processor time of the thread of a push, from the beginning of the
   *     pack to the end of the push; elapsed time on a JVM that does not measure processor time
   */
  public TransferLimits(long memory, int deltaDepth, Duration processorTime) {
    this.limit = memory > 0 ? memory : Long.MAX_VALUE;
    this.deltaDepth = deltaDepth;
    this.processorTime = processorTime;
  }

  @Override
  public synchronized long held() {
    return taken;
  }

  @Override
  public long limit() {
    return limit;
  }

  /** Begins a push or a fetch that has taken nothing. */
  public Transfer begin() {
    return new Transfer();
  }

  /** Begins to receive a pack that no client sends, which has no limits. */
  public static Transfer unlimited() {
    return new TransferLimits(0, Integer.MAX_VALUE, Duration.ZERO).begin();
  }

  private synchronized void take(long bytes, long whole, String what) throws Refusal {
    if (whole > limit) {
      throw new Refusal(
          what
              + " takes some "
              + mib(whole)
              + " of memory, and [s3 \"receive\"] memoryLimit of the server is "
              + mib(limit));
    }
    if (bytes > limit - taken) {
      throw new Refusal(
          "the server is busy: "
              + what
              + " takes some "
              + mib(whole)
              + " of memory, of which other requests have taken too much; try again");
    }
    taken += bytes;
  }

  /**
   * Takes memory; unless the request exceeds the limit, first waits up to {@link #PATIENCE} for
   * others to release enough.
   */
  private synchronized void await(long bytes, long whole, String what) throws IOException {
    long end = System.nanoTime() + PATIENCE.toNanos();
    long left = PATIENCE.toNanos();
    while (whole <= limit && bytes > limit - taken && left > 0) {
      try {
        TimeUnit.NANOSECONDS.timedWait(this, left);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new InterruptedIOException("interrupted while waiting for memory");
      }
      left = end - System.nanoTime();
    }
    take(bytes, whole, what);
  }

  private synchronized void give(long bytes) {
    taken -= bytes;
    notifyAll();
  }

  private static String mib(long bytes) {
    return (long) Math.ceil(bytes / MIB) + " MiB";
  }

  /** Thrown if a request needs more memory than is available to it. */
  public static final class Refusal extends IOException {
    private static final long serialVersionUID = 1L;

    Refusal(String message) {
      super(message);
    }
  }

  /** Tests whether the JVM measures processor time. */
  private static boolean isMeasured() {
    return THREADS.isCurrentThreadCpuTimeSupported() && THREADS.isThreadCpuTimeEnabled();
  }

  /** Work of one push, from its creation on. */
  private static final class Work {
    private final Thread thread = Thread.currentThread();
    private final boolean measured = isMeasured();
    private final long start = now();

    private long now() {
      return measured ? THREADS.getCurrentThreadCpuTime() : System.nanoTime();
    }

    /** Time of the thread so far; none for another thread. */
    Duration time() {
      return Duration.ofNanos(thread == Thread.currentThread() ? now() - start : 0);
    }
  }

  /**
   * Memory and work of one push or fetch. Other threads than that of a push may call its methods;
   * their time is not counted. Safe for use by many threads.
   */
  public final class Transfer implements Closeable {
    /** Work of the push; null before it. */
    @Nullable private volatile Work work;

    /** Work since the first comparison of commits; null before it. */
    @Nullable private volatile Work comparing;

    private long held; // guarded by this
    private long largest = SMALL_OBJECT; // guarded by this
    private long tree = SMALL_TREE; // guarded by this
    private long bases = SMALL_OBJECT; // guarded by this
    private long objects; // guarded by this
    private long allowed = STEP; // guarded by this
    private long awaited = STEP; // guarded by this

    /**
     * Takes memory for the objects of a pack.
     *
     * @param count number of objects, as the pack declares it
     * @throws IOException if there is not enough
     */
    public synchronized void takeForObjects(long count) throws IOException {
      grow(OBJECT_BYTES * count, "a pack of " + count + " objects");
    }

    /**
     * Takes memory for an object that is going to be in memory as a whole.
     *
     * @param bytes its length, or the length of a delta, as the pack declares it
     * @param named names it for the message, and ends with a comma
     * @throws IOException if there is not enough, or no array has so many bytes
     */
    public synchronized void takeForLargest(long bytes, Supplier<String> named) throws IOException {
      if (bytes < 0 || bytes > Integer.MAX_VALUE) {
        throw new IOException(
            named.get()
                + " has "
                + Long.toUnsignedString(bytes)
                + " bytes, and a tree, commit, tag or delta may have "
                + Integer.MAX_VALUE);
      }
      if (bytes > largest) { // first, since most are not, and cost no text
        takeForCopies(bytes, named.get() + " of " + mib(bytes) + ",");
      }
    }

    /**
     * Takes memory for the {@code .gitmodules} of a tree, which JGit parses.
     *
     * @param bytes its length
     * @throws IOException if there is not enough
     */
    public synchronized void takeForSubmodules(long bytes) throws IOException {
      takeForCopies(CONFIG_FACTOR * bytes, "a .gitmodules of " + mib(bytes));
    }

    private void takeForCopies(long bytes, String what) throws IOException {
      if (bytes > largest) {
        grow(COPIES * (bytes - largest), what);
        largest = bytes;
      }
    }

    /**
     * Takes memory for objects that are kept until the remaining deltas against them are resolved.
     *
     * @param bytes of all of them but one
     * @throws IOException if there is not enough
     */
    public synchronized void takeForBases(long bytes) throws IOException {
      if (bytes > bases) {
        grow(bytes - bases, "a pack with deltas to objects of " + mib(bytes));
        bases = bytes;
      }
    }

    /**
     * Takes memory for a further part of a fetch.
     *
     * @param bytes of lines that name objects
     * @throws IOException if there is not enough
     */
    public synchronized void takeForNames(long bytes) throws IOException {
      grow(NAMES_FACTOR * bytes, "a fetch that names so many objects");
    }

    /**
     * Takes memory for all objects that a fetch is going to send, and waits for it.
     *
     * @param count maximum number of objects that it may send; if memory for so many exceeds the
     *     limit, takes nothing, and leaves it to {@link #takeForSent}
     * @throws IOException if there is not enough after a while
     */
    public synchronized void awaitForSent(long count) throws IOException {
      long bytes = SENT_BYTES * (count - allowed);
      if (bytes > 0 && held + bytes <= limit) {
        await(bytes, held + bytes, "a clone of " + count + " objects" + COLLECTED);
        held += bytes;
        allowed = count;
        awaited = count;
      }
    }

    /**
     * Takes memory for a further object that a fetch is going to send.
     *
     * @throws IOException if there is not enough
     */
    public synchronized void takeForSent() throws IOException {
      takeForObject("a fetch of more than ", " objects" + COLLECTED);
    }

    /**
     * Takes memory for a further commit that a fetch walks through, or for {@link #SENT_BYTES} of
     * other objects; none is taken again for a commit that is sent.
     *
     * @throws IOException if there is not enough
     */
    public synchronized void takeForWalked() throws IOException {
      takeForObject("a fetch that walks through more than ", " objects" + WHOLE);
    }

    /**
     * Takes memory for a tree that a fetch reads.
     *
     * @param bytes its length
     * @param id its id, for the message
     * @throws IOException if there is not enough
     */
    public synchronized void takeForTree(long bytes, AnyObjectId id) throws IOException {
      if (bytes > tree) {
        grow(bytes - tree, "a fetch of the tree " + id.name() + " of " + mib(bytes));
        tree = bytes;
      }
    }

    private void takeForObject(String fetch, String what) throws IOException {
      if (objects == allowed) {
        grow(SENT_BYTES * STEP, fetch + allowed + what);
        allowed += STEP;
      }
      objects++;
    }

    /**
     * Gives back the memory for a walk that has ended, but none that a clone has waited for.
     *
     * @param count how often it was taken, without the commits that are sent
     */
    public synchronized void giveForWalked(long count) {
      objects = Math.max(0, objects - count); // none are left if the request has ended
      long unused = (allowed - Math.max(awaited, objects)) / STEP * STEP;
      give(SENT_BYTES * unused);
      held -= SENT_BYTES * unused;
      allowed -= unused;
    }

    private void grow(long bytes, String what) throws IOException {
      take(bytes, held + bytes, what);
      held += bytes;
    }

    /** Begins the work of a push with its first pack, in the thread that does it. */
    public void beginWork() {
      if (work == null) {
        work = new Work();
      }
    }

    /**
     * Checks the length of a chain of deltas.
     *
     * @throws TransportException if it is longer than allowed
     */
    public void checkDepth(int depth) throws TransportException {
      if (depth > deltaDepth) {
        throw new TransportException(
            "a pack with a chain of more than "
                + deltaDepth
                + " deltas, which is [s3 \"receive\"] deltaDepth of the server; push from a"
                + " repository packed by git repack -adf");
      }
    }

    /**
     * Checks the number of parents of a commit.
     *
     * @throws TransportException if a pushed commit has more than allowed
     */
    public void checkParents(int count) throws TransportException {
      if (work != null && count > MOST_PARENTS) {
        throw new TransportException("a commit with more than " + MOST_PARENTS + " parents");
      }
    }

    /**
     * Checks the processor time so far.
     *
     * @throws TransportException if a push has taken more than is allowed
     */
    public void checkTime() throws TransportException {
      Work begun = work;
      if (begun != null && begun.time().compareTo(processorTime) > 0) {
        throw new TransportException(
            "a push that takes more than "
                + processorTime.toMillis()
                + " ms of processor time, which is [s3 \"receive\"] processorTime of the server;"
                + " push fewer commits at a time");
      }
    }

    /**
     * Checks the processor time since this was called first, before a comparison of two commits,
     * for which JGit walks through the history between them.
     *
     * @return why a push may compare no more; empty if it may
     */
    public Optional<String> checkComparisons() {
      Work begun = comparing;
      if (begun == null) {
        comparing = new Work();
        return Optional.empty();
      }
      Duration most = processorTime.dividedBy(COMPARING);
      return begun.time().compareTo(most) <= 0
          ? Optional.empty()
          : Optional.of(
              "to find what the update loses takes more than "
                  + most.toMillis()
                  + " ms of processor time, a thousandth of [s3 \"receive\"] processorTime of the"
                  + " server; push fewer refs at a time");
    }

    /** Gives all memory back. */
    @Override
    public synchronized void close() {
      give(held);
      held = 0;
      largest = SMALL_OBJECT;
      tree = SMALL_TREE;
      bases = SMALL_OBJECT;
      objects = 0;
      allowed = STEP;
      awaited = STEP;
    }
  }
}
