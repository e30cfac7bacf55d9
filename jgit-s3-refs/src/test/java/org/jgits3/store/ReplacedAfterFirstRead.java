// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** A store in which an object is replaced between the first read of it and the second. */
public final class ReplacedAfterFirstRead extends DelegatingObjectStore {
  private final ObjectStore store;
  private final byte[] replacement;
  private final AtomicInteger reads = new AtomicInteger();
  private final CountDownLatch firstHasEnded = new CountDownLatch(1);

  /**
   * Replaces what is read.
   *
   * @param store where it is; not closed with this
   * @param replacement what takes its place
   */
  public ReplacedAfterFirstRead(ObjectStore store, byte[] replacement) {
    super(store);
    this.store = store;
    this.replacement = replacement;
  }

  @Override
  public ObjectVersion read(ReadRequest range) throws IOException {
    int number = reads.getAndIncrement();
    if (number == 1) {
      awaitFirst();
      store.put(range.key(), replacement, 0, replacement.length);
    }
    try {
      return super.read(range);
    } finally {
      if (number == 0) {
        firstHasEnded.countDown();
      }
    }
  }

  private void awaitFirst() throws IOException {
    try {
      firstHasEnded.await();
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  @Override
  public void close() {}
}
