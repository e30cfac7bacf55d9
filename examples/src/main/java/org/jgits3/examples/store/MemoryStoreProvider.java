// SPDX-License-Identifier: Apache-2.0
package org.jgits3.examples.store;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jgits3.ObjectStoreProvider;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.StoreOptions;

/** Opens {@code memory:NAME}: objects of this process under that name, until it ends. */
public final class MemoryStoreProvider implements ObjectStoreProvider {
  private static final Map<String, MemoryObjectStore.Contents> ALL = new ConcurrentHashMap<>();

  @Override
  public String scheme() {
    return "memory";
  }

  @Override
  public ObjectStore open(String url, StoreOptions options) {
    if (!url.matches("memory:\\w+")) {
      throw new IllegalArgumentException("'" + url + "': write memory:NAME, of letters and digits");
    }
    return new MemoryObjectStore(
        url, ALL.computeIfAbsent(url, name -> new MemoryObjectStore.Contents()));
  }
}
