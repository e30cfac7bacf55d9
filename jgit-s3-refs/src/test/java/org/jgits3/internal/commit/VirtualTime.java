// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.commit;

import java.util.concurrent.atomic.AtomicLong;

/** Time that passes only in pauses, and then at once. */
public final class VirtualTime implements Ticker {
  private final AtomicLong now = new AtomicLong();

  @Override
  public long nanoTime() {
    return now.get();
  }

  @Override
  public void sleep(long nanos) {
    now.addAndGet(nanos);
  }
}
