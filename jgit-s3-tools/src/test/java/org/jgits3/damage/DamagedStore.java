// SPDX-License-Identifier: Apache-2.0
package org.jgits3.damage;

import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.jgits3.store.DelegatingObjectStore;
import org.jgits3.store.GetResult;
import org.jgits3.store.MemoryObjectStore;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.ObjectVersion;
import org.jgits3.store.ReadRequest;
import org.jgits3.store.StoreContent;

/** A store that answers some reads of one object with other bytes, which it does not hold. */
final class DamagedStore extends DelegatingObjectStore {
  private final String key;
  private final MemoryObjectStore other = new MemoryObjectStore();
  private final AtomicInteger left;

  /**
   * Damages the answers to reads.
   *
   * @param store the store, which has the right bytes
   * @param key key of the object
   * @param bytes bytes that it seems to have
   * @param reads number of reads that are answered with them
   */
  DamagedStore(ObjectStore store, String key, byte[] bytes, int reads) {
    super(store);
    this.key = key;
    this.left = new AtomicInteger(reads);
    other.put(key, bytes, 0, bytes.length);
  }

  private boolean damages(String asked) {
    return asked.equals(key) && left.getAndDecrement() > 0;
  }

  @Override
  public GetResult get(String asked, Optional<ObjectVersion> known) throws IOException {
    GetResult answer = super.get(asked, known);
    return answer instanceof GetResult.Found found && damages(asked)
        ? new GetResult.Found(StoreContent.bytes(other, asked), found.version())
        : answer;
  }

  @Override
  public ObjectVersion read(ReadRequest range) throws IOException {
    ObjectVersion version = super.read(range);
    if (damages(range.key())) {
      other.read(
          range.key(),
          range.offset(),
          range.dst(),
          range.dstOffset(),
          range.length(),
          Optional.empty());
    }
    return version;
  }
}
