// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.snapshot;

import java.io.IOException;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.jgits3.store.ConcurrentTasks;
import org.jgits3.store.DelegatingObjectStore;
import org.jgits3.store.GetResult;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.ObjectVersion;
import org.jgits3.store.Precondition;
import org.jgits3.store.PutOutcome;
import org.jgits3.store.ReadRequest;

/**
 * A store on whose requests a test stages what others do: an action runs before or after the next
 * request of a kind, on the thread that makes it.
 */
public final class StagedObjectStore extends DelegatingObjectStore {
  /** Requests that matter to refs. */
  public enum Request {
    READ_MANIFEST,
    WRITE_MANIFEST,
    READ_SNAPSHOT,
    WRITE_SNAPSHOT,
    WRITE_LOG
  }

  /** An action at a request. */
  @FunctionalInterface
  public interface Action {
    /** Runs it. */
    void run() throws IOException;
  }

  /** A place where a thread stops until the test lets it go on. */
  public static final class Stop implements Action {
    private final CountDownLatch reached = new CountDownLatch(1);
    private final CountDownLatch released = new CountDownLatch(1);

    @Override
    public void run() {
      reached.countDown();
      await(released);
    }

    /** Waits until a thread has stopped here. */
    public void awaitReached() {
      await(reached);
    }

    public void release() {
      released.countDown();
    }

    private static void await(CountDownLatch latch) {
      ConcurrentTasks.await(latch);
    }
  }

  private final Map<Request, Action> before = new EnumMap<>(Request.class); // guarded by itself
  private final Map<Request, Action> after = new EnumMap<>(Request.class); // guarded by itself

  public StagedObjectStore(ObjectStore store) {
    super(store);
  }

  /** Runs an action before the next request of a kind is sent. */
  public void before(Request next, Action action) {
    stage(before, next, action);
  }

  /** Runs an action when the next request of a kind was answered, before the answer arrives. */
  public void after(Request next, Action action) {
    stage(after, next, action);
  }

  private static void stage(Map<Request, Action> staged, Request next, Action action) {
    synchronized (staged) {
      staged.put(next, action);
    }
  }

  private static void play(Map<Request, Action> staged, Request request) throws IOException {
    Action action;
    synchronized (staged) {
      action = staged.remove(request);
    }
    if (action != null) {
      action.run();
    }
  }

  private static boolean isSnapshot(String key) {
    return key.contains("/refs/");
  }

  @Override
  public GetResult get(String key, Optional<ObjectVersion> known) throws IOException {
    play(before, Request.READ_MANIFEST);
    GetResult answer = super.get(key, known);
    play(after, Request.READ_MANIFEST);
    return answer;
  }

  @Override
  public PutOutcome putIf(String key, byte[] body, Precondition precondition) throws IOException {
    play(before, Request.WRITE_MANIFEST);
    PutOutcome outcome = super.putIf(key, body, precondition);
    play(after, Request.WRITE_MANIFEST);
    return outcome;
  }

  @Override
  public ObjectVersion read(ReadRequest range) throws IOException {
    if (!isSnapshot(range.key())) {
      return super.read(range);
    }
    play(before, Request.READ_SNAPSHOT);
    ObjectVersion version = super.read(range);
    play(after, Request.READ_SNAPSHOT);
    return version;
  }

  @Override
  public void put(String key, byte[] src, int offset, int length) throws IOException {
    if (key.contains("/log/")) {
      super.put(key, src, offset, length);
      play(after, Request.WRITE_LOG);
      return;
    }
    if (!isSnapshot(key)) {
      super.put(key, src, offset, length);
      return;
    }
    play(before, Request.WRITE_SNAPSHOT);
    super.put(key, src, offset, length);
    play(after, Request.WRITE_SNAPSHOT);
  }
}
