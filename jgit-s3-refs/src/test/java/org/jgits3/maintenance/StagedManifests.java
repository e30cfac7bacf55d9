// SPDX-License-Identifier: Apache-2.0
package org.jgits3.maintenance;

import java.io.IOException;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.eclipse.jgit.annotations.Nullable;
import org.jgits3.store.DelegatingObjectStore;
import org.jgits3.store.GetResult;
import org.jgits3.store.ListedObject;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.ObjectVersion;
import org.jgits3.store.Precondition;
import org.jgits3.store.PutOutcome;

/**
 * A store on whose requests a test stages what others do meanwhile: an action runs once, on the
 * thread that makes the request.
 */
public final class StagedManifests extends DelegatingObjectStore {
  private final AtomicReference<Action> beforeWrite = new AtomicReference<>();
  private final AtomicReference<Action> beforeLease = new AtomicReference<>();
  private final AtomicReference<Action> afterRead = new AtomicReference<>();
  private final AtomicReference<Action> beforeDelete = new AtomicReference<>();
  private final Map<String, Action> beforeList = new ConcurrentHashMap<>();
  private final Set<String> doomed = ConcurrentHashMap.newKeySet();

  /** An action of the test. */
  @FunctionalInterface
  public interface Action {
    void run() throws Exception;
  }

  public StagedManifests(ObjectStore store) {
    super(store);
  }

  /** Runs an action before the next write of a manifest is sent. */
  public void beforeWrite(Action action) {
    beforeWrite.set(action);
  }

  /** Runs an action before a lease is written next. */
  public void beforeLease(Action action) {
    beforeLease.set(action);
  }

  /** Runs an action after the next read of a manifest, before its answer arrives. */
  public void afterRead(Action action) {
    afterRead.set(action);
  }

  /** Runs an action before the next deletion of objects. */
  public void beforeDelete(Action action) {
    beforeDelete.set(action);
  }

  /** Runs an action before the next listing of exactly a prefix. */
  public void beforeList(String prefix, Action action) {
    beforeList.put(prefix, action);
  }

  /** Keys of all objects whose deletion was asked for, be it done or not. */
  public Set<String> doomed() {
    return Set.copyOf(doomed);
  }

  private static boolean isLease(String key) {
    return key.endsWith("/lease");
  }

  private static void play(AtomicReference<Action> staged) throws IOException {
    play(staged.getAndSet(null));
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

  @Override
  public GetResult get(String key, Optional<ObjectVersion> known) throws IOException {
    GetResult answer = super.get(key, known);
    if (!isLease(key)) {
      play(afterRead);
    }
    return answer;
  }

  @Override
  public PutOutcome putIf(String key, byte[] body, Precondition precondition) throws IOException {
    play(isLease(key) ? beforeLease : beforeWrite);
    return super.putIf(key, body, precondition);
  }

  @Override
  public void delete(Collection<String> keys) throws IOException {
    doomed.addAll(keys);
    play(beforeDelete);
    super.delete(keys);
  }

  @Override
  public void list(String prefix, Consumer<ListedObject> each) throws IOException {
    play(beforeList.remove(prefix));
    super.list(prefix, each);
  }
}
