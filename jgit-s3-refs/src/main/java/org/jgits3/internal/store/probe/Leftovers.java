// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.probe;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jgits3.store.MultipartUpload;
import org.jgits3.store.ObjectStore;

/**
 * Objects and uploads that probes of dead processes left in a store. The keys of a probe say when
 * it began. Nothing relies on that clock: a probe whose objects are deleted while it runs fails,
 * and can be repeated.
 *
 * @param keys objects
 * @param uploads unfinished uploads
 */
public record Leftovers(List<String> keys, List<MultipartUpload> uploads) {
  private static final Duration GRACE = Duration.ofHours(1); // a probe takes 20 seconds
  private static final Pattern BEGUN = Pattern.compile("probe/(\\d{1,15})-[^/]+/.*");

  /** Prefix of the keys of a probe. */
  static String prefix(Instant began) {
    return StoreProbe.FOLDER + began.toEpochMilli() + "-" + UUID.randomUUID() + "/";
  }

  /**
   * Finds what probes have left that began more than an hour ago, in two requests.
   *
   * @param store the store
   * @param now the time
   * @return the leftovers
   * @throws IOException if the store does not answer or refuses
   */
  public static Leftovers find(ObjectStore store, Instant now) throws IOException {
    Predicate<String> old = key -> isOld(key, now.minus(GRACE));
    List<String> keys = new ArrayList<>();
    store.list(StoreProbe.FOLDER, object -> keys.add(object.key()));
    return new Leftovers(
        keys.stream().filter(old).toList(),
        store.listMultipart(StoreProbe.FOLDER).stream().filter(u -> old.test(u.key())).toList());
  }

  private static boolean isOld(String key, Instant limit) {
    Matcher begun = BEGUN.matcher(key);
    return begun.matches() && Long.parseLong(begun.group(1)) < limit.toEpochMilli();
  }

  /**
   * Deletes the objects, and aborts the uploads.
   *
   * @param store the store they were found in
   * @throws IOException if the store does not answer or refuses
   */
  public void delete(ObjectStore store) throws IOException {
    if (!keys.isEmpty()) {
      store.delete(keys);
    }
    for (MultipartUpload upload : uploads) {
      store.abortMultipart(upload);
    }
  }
}
