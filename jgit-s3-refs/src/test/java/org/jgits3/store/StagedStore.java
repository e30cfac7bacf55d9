// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

import java.io.IOException;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.eclipse.jgit.annotations.Nullable;

/**
 * A store on whose requests a test stages what others do: an action runs once, before or after the
 * next request of a kind, on the thread that makes it.
 */
public final class StagedStore extends DelegatingObjectStore {
  /** Kinds of requests. */
  public enum Request {
    /** A read of a manifest or of the pointer of a name. */
    READ_MANIFEST,
    /** A write of a manifest or of the pointer of a name. */
    WRITE_MANIFEST,
    WRITE_LEASE,
    READ_SNAPSHOT,
    WRITE_SNAPSHOT,
    WRITE_LOG,
    DELETE
  }

  /** An action of the test. */
  @FunctionalInterface
  public interface Action {
    void run() throws Exception;
  }

  /** A place where a thread stops until the test lets it go on. */
  public static final class Stop implements Action {
    private final CountDownLatch reached = new CountDownLatch(1);
    private final CountDownLatch released = new CountDownLatch(1);

    @Override
    public void run() {
      reached.countDown();
      ConcurrentTasks.await(released);
    }

    /** Waits until a thread has stopped here. */
    public void awaitReached() {
      ConcurrentTasks.await(reached);
    }

    public void release() {
      released.countDown();
    }
  }

  private final Map<Request, Action> before = new ConcurrentHashMap<>();
  private final Map<Request, Action> after = new ConcurrentHashMap<>();
  private final Map<String, Action> beforeList = new ConcurrentHashMap<>();
  private final Map<String, Action> beforeGet = new ConcurrentHashMap<>();
  private final Map<String, Action> afterGet = new ConcurrentHashMap<>();
  private final Map<String, Action> afterList = new ConcurrentHashMap<>();
  private final Set<String> doomed = ConcurrentHashMap.newKeySet();

  public StagedStore(ObjectStore store) {
    super(store);
  }

  /** Runs an action before the next request of a kind is sent. */
  public void before(Request next, Action action) {
    before.put(next, action);
  }

  /** Tests whether an action is yet to run before a request of a kind. */
  public boolean isStaged(Request next) {
    return before.containsKey(next);
  }

  /** Runs an action when the next request of a kind was answered, before the answer arrives. */
  public void after(Request next, Action action) {
    after.put(next, action);
  }

  /** Runs an action before the next write of a manifest is sent. */
  public void beforeWrite(Action action) {
    before(Request.WRITE_MANIFEST, action);
  }

  /** Runs an action before the next listing of exactly a prefix. */
  public void beforeList(String prefix, Action action) {
    beforeList.put(prefix, action);
  }

  /** Runs an action before the next read of an object. */
  public void beforeGet(String key, Action action) {
    beforeGet.put(key, action);
  }

  /** Runs an action when the next read of an object was answered, before the answer arrives. */
  public void afterGet(String key, Action action) {
    afterGet.put(key, action);
  }

  /** Runs an action after the next listing of exactly a prefix. */
  public void afterList(String prefix, Action action) {
    afterList.put(prefix, action);
  }

  /** Keys of all objects whose deletion was asked for, be it done or not. */
  public Set<String> doomed() {
    return Set.copyOf(doomed);
  }

  private static void play(@Nullable Action action) throws IOException {
    if (action == null) {
      return;
    }
    try {
      action.run();
    } catch (IOException | RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private static boolean isLease(String key) {
    return key.endsWith("/lease");
  }

  private static boolean isSnapshot(String key) {
    return key.contains("/refs/");
  }

  @Override
  public GetResult get(String key, Optional<ObjectVersion> known) throws IOException {
    play(beforeGet.remove(key));
    if (isLease(key)) {
      return super.get(key, known);
    }
    play(before.remove(Request.READ_MANIFEST));
    GetResult answer = super.get(key, known);
    play(after.remove(Request.READ_MANIFEST));
    play(afterGet.remove(key));
    return answer;
  }

  @Override
  public PutOutcome putIf(String key, byte[] body, Precondition precondition) throws IOException {
    Request request = isLease(key) ? Request.WRITE_LEASE : Request.WRITE_MANIFEST;
    play(before.remove(request));
    PutOutcome outcome = super.putIf(key, body, precondition);
    play(after.remove(request));
    return outcome;
  }

  @Override
  public ObjectVersion read(ReadRequest range) throws IOException {
    if (!isSnapshot(range.key())) {
      return super.read(range);
    }
    play(before.remove(Request.READ_SNAPSHOT));
    ObjectVersion version = super.read(range);
    play(after.remove(Request.READ_SNAPSHOT));
    return version;
  }

  @Override
  public void put(String key, byte[] src, int offset, int length) throws IOException {
    if (!isSnapshot(key) && !key.contains("/log/")) {
      super.put(key, src, offset, length);
      return;
    }
    Request request = isSnapshot(key) ? Request.WRITE_SNAPSHOT : Request.WRITE_LOG;
    play(before.remove(request));
    super.put(key, src, offset, length);
    play(after.remove(request));
  }

  @Override
  public void delete(Collection<String> keys) throws IOException {
    doomed.addAll(keys);
    play(before.remove(Request.DELETE));
    super.delete(keys);
  }

  @Override
  public void list(String prefix, Consumer<ListedObject> each) throws IOException {
    play(beforeList.remove(prefix));
    super.list(prefix, each);
    play(afterList.remove(prefix));
  }
}
