// SPDX-License-Identifier: Apache-2.0
package org.jgits3.simulation.world;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.eclipse.jgit.annotations.Nullable;
import org.jgits3.simulation.Scheduler;
import org.jgits3.store.ArraysObjectStore.Stored;
import org.jgits3.store.ObjectVersion;
import org.jgits3.store.Precondition;
import org.jgits3.store.PutOutcome;

/**
 * The objects of a simulated store, and the writes that are still on their way to it. Versions are
 * hashes of the content, so that equal bytes have equal versions.
 */
final class Bucket {
  private final Scheduler scheduler;
  private final NavigableMap<String, Stored> objects = new TreeMap<>();
  private final List<Runnable> late = new ArrayList<>();
  private final Rules rules;
  private Trouble trouble = Trouble.NONE;

  /** Judges what is written and deleted. */
  interface Rules {
    /**
     * Takes a write.
     *
     * @param by what {@link #current} was when it was sent; null for none
     */
    void written(String key, byte[] bytes, @Nullable Object by);

    /** What the strand that runs does. */
    @Nullable
    Object current();

    void deleted(String key);

    /** A request got no answer. */
    void doubt();
  }

  Bucket(Scheduler scheduler, Rules rules) {
    this.scheduler = scheduler;
    this.rules = rules;
  }

  private static Stored stored(byte[] bytes) {
    long hash = 0xcbf29ce484222325L;
    for (byte b : bytes) {
      hash = (hash ^ b) * 0x100000001b3L;
    }
    return new Stored(bytes, new ObjectVersion(Long.toHexString(hash)));
  }

  Scheduler scheduler() {
    return scheduler;
  }

  Trouble trouble() {
    return trouble;
  }

  void trouble(Trouble next) {
    trouble = next;
  }

  Rules rules() {
    return rules;
  }

  /** Objects by key. */
  NavigableMap<String, Stored> objects() {
    return objects;
  }

  @Nullable
  Stored get(String key) {
    return objects.get(key);
  }

  void put(String key, byte[] bytes) {
    put(key, bytes, null);
  }

  private void put(String key, byte[] bytes, @Nullable Object by) {
    objects.put(key, stored(bytes));
    rules.written(key, bytes, by);
  }

  /** Tests whether a write would be applied now. */
  boolean holds(Precondition precondition, String key) {
    Stored now = objects.get(key);
    return precondition instanceof Precondition.Matches matches
        ? now != null && now.version().equals(matches.version())
        : now == null;
  }

  PutOutcome putIf(String key, byte[] bytes, Precondition precondition, @Nullable Object by) {
    if (!holds(precondition, key)) {
      return new PutOutcome.Lost();
    }
    put(key, bytes, by);
    return new PutOutcome.Won(objects.get(key).version());
  }

  void delete(Collection<String> keys) {
    for (String key : keys) {
      if (objects.remove(key) != null) {
        rules.deleted(key);
      }
    }
  }

  /** Holds a request that arrives later, or never. */
  void late(Runnable request) {
    late.add(request);
  }

  /** Lets a request arrive that its caller has given up, now and then. */
  void deliverSome() {
    if (!late.isEmpty() && scheduler.random().nextInt(8) == 0) {
      deliver(scheduler.random().nextInt(late.size()));
    }
  }

  /** Lets all of them arrive that ever will. */
  void deliverAll() {
    while (!late.isEmpty()) {
      deliver(late.size() - 1);
    }
  }

  private void deliver(int index) {
    Runnable request = late.remove(index);
    if (scheduler.random().nextInt(4) != 0) {
      scheduler.trace(() -> "a late request arrives");
      request.run();
    }
  }

  /** Copies all objects, as an image to begin from. */
  Map<String, Stored> image() {
    return new TreeMap<>(objects);
  }
}
