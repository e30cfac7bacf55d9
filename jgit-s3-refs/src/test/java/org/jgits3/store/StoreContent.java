// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The objects of a store, which tests look at and damage. */
public final class StoreContent {
  private StoreContent() {}

  /** Keys of the objects with a prefix. */
  public static List<String> keys(ObjectStore store, String prefix) throws IOException {
    List<String> keys = new ArrayList<>();
    store.list(prefix, object -> keys.add(object.key()));
    return keys;
  }

  /** Bytes of an object that exists. */
  public static byte[] bytes(ObjectStore store, String key) throws IOException {
    return ((GetResult.Found) store.get(key, Optional.empty())).bytes();
  }

  /** Bytes of which one is another one. */
  public static byte[] flipped(byte[] bytes, int at) {
    byte[] flipped = bytes.clone();
    flipped[at] ^= 1;
    return flipped;
  }
}
