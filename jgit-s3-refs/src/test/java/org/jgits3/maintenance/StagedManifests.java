// SPDX-License-Identifier: Apache-2.0
package org.jgits3.maintenance;

import java.io.IOException;
import java.util.Collection;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jgits3.store.DelegatingObjectStore;
import org.jgits3.store.GetResult;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.Precondition;
import org.jgits3.store.PutOutcome;
import org.jgits3.store.Validator;

/**
 * A store on whose requests a test stages what others do meanwhile: an action runs once, on the
 * thread that makes the request.
 */
final class StagedManifests extends DelegatingObjectStore {
  private final AtomicReference<Action> beforeWrite = new AtomicReference<>();
  private final AtomicReference<Action> afterRead = new AtomicReference<>();
  private final AtomicReference<Action> beforeDelete = new AtomicReference<>();

  /** What happens. */
  @FunctionalInterface
  interface Action {
    void run() throws Exception;
  }

  StagedManifests(ObjectStore store) {
    super(store);
  }

  /** Runs an action before the next write of a manifest is sent. */
  void beforeWrite(Action action) {
    beforeWrite.set(action);
  }

  /** Runs an action after the next read of a manifest, before its answer arrives. */
  void afterRead(Action action) {
    afterRead.set(action);
  }

  /** Runs an action before the next deletion of objects. */
  void beforeDelete(Action action) {
    beforeDelete.set(action);
  }

  private static void play(AtomicReference<Action> staged) throws IOException {
    Action action = staged.getAndSet(null);
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
  public GetResult get(String key, Optional<Validator> known) throws IOException {
    GetResult answer = super.get(key, known);
    play(afterRead);
    return answer;
  }

  @Override
  public PutOutcome putIf(String key, byte[] body, Precondition precondition) throws IOException {
    play(beforeWrite);
    return super.putIf(key, body, precondition);
  }

  @Override
  public void delete(Collection<String> keys) throws IOException {
    play(beforeDelete);
    super.delete(keys);
  }
}
