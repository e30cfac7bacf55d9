// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

import java.io.IOException;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What one upload has put aside in the store, beside the object that it makes. Safe for use by many
 * threads.
 */
final class ParkedParts {
  private static final Logger LOG = LoggerFactory.getLogger(ParkedParts.class);

  private final ObjectStore store;
  private final String key;

  // Guarded by this.
  private final Set<String> keys = new HashSet<>();
  private int parkings;

  ParkedParts(ObjectStore store, String key) {
    this.store = store;
    this.key = key;
  }

  /** Puts the beginning of an array aside. */
  ParkedPart put(byte[] src, int length) throws IOException {
    return ParkedPart.write(store, newKey(), src, length);
  }

  private synchronized String newKey() {
    String parked = key + ".parked-" + ++parkings;
    keys.add(parked); // before it exists, so that it is deleted if nobody learns that it does
    return parked;
  }

  /** Deletes what is needed no more. What cannot be deleted is tried again in the end. */
  void delete(Collection<ParkedPart> parts) {
    deleteOrWarn(parts.stream().map(ParkedPart::key).toList());
  }

  /** Deletes everything, for the last time. */
  void deleteRest() {
    deleteOrWarn(rest());
  }

  private void deleteOrWarn(List<String> parked) {
    try {
      deleteKeys(parked);
    } catch (IOException | RuntimeException e) {
      LOG.warn(
          "{}: {} objects beside it are not deleted, a sweep will: {}",
          key,
          parked.size(),
          e.getMessage());
    }
  }

  /** Deletes everything, as far as it can be. */
  void deleteAll() throws IOException {
    deleteKeys(rest());
  }

  private synchronized List<String> rest() {
    return List.copyOf(keys);
  }

  private void deleteKeys(List<String> parked) throws IOException {
    if (!parked.isEmpty()) {
      store.delete(parked);
      forget(parked);
    }
  }

  private synchronized void forget(List<String> parked) {
    keys.removeAll(Set.copyOf(parked));
  }
}
