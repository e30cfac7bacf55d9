// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.table;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Optional;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.manifest.RefValue;
import org.jgits3.store.StoreException;

/**
 * Stored form of the difference between two snapshots: a header that names the older one, then a
 * line for each changed ref in the order of packed-refs. A line is that of packed-refs, with the
 * peeled value after the name, or a minus and the name of a ref that was deleted.
 *
 * <pre>
 * # jgit-s3 refs delta of 00000000002a-0123456789abcdef0123
 * 3b18e512dba79e4c8300dd08aeb37f8e728b8dad refs/heads/main
 * 8b5e4d9e8c2f6c1f7f2c9d2b8ee1a3f2d7a5b1c0 refs/tags/v1 3b18e512dba79e4c8300dd08aeb37f8e728b8dad
 * - refs/heads/gone
 * </pre>
 */
public final class DeltaCodec {
  private static final String HEADER = "# jgit-s3 refs delta of ";

  private DeltaCodec() {}

  /**
   * A delta.
   *
   * @param base id of the older snapshot
   * @param changes changes of the newer one
   */
  public record Delta(String base, RefDelta changes) {}

  public static byte[] encode(Delta delta) {
    StringBuilder out = new StringBuilder(HEADER).append(delta.base()).append('\n');
    RefDelta changes = delta.changes();
    for (int i = 0; i < changes.size(); i++) {
      String name = changes.names().get(i);
      if (changes.value(i) instanceof RefValue.Direct d) {
        out.append(d.id().name()).append(' ').append(name);
        d.peeled().ifPresent(p -> out.append(' ').append(p.name()));
      } else {
        out.append("- ").append(name);
      }
      out.append('\n');
    }
    return out.toString().getBytes(UTF_8);
  }

  public static Delta decode(String key, byte[] bytes) throws StoreException.Corrupt {
    String[] lines = new String(bytes, UTF_8).split("\n", -1);
    if (!lines[0].startsWith(HEADER) || !lines[lines.length - 1].isEmpty()) {
      throw corrupt(key, 1, null);
    }
    RefDelta.Builder changes = new RefDelta.Builder(lines.length - 2);
    String before = "";
    for (int i = 1; i < lines.length - 1; i++) {
      try {
        String[] words = lines[i].split(" ", -1);
        changes.add(words[1], value(words));
        if (RefOrder.INSTANCE.compare(before, words[1]) >= 0) {
          throw corrupt(key, i + 1, null);
        }
        before = words[1];
      } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
        throw corrupt(key, i + 1, e);
      }
    }
    return new Delta(lines[0].substring(HEADER.length()), changes.build());
  }

  private static RefValue value(String[] words) {
    if (words[0].equals("-")) {
      return RefValue.DELETED;
    }
    return new RefValue.Direct(
        ObjectId.fromString(words[0]),
        words.length > 2 ? Optional.of(ObjectId.fromString(words[2])) : Optional.empty());
  }

  private static StoreException.Corrupt corrupt(String key, int line, Throwable cause) {
    return new StoreException.Corrupt(
        key, "refs delta " + key + " is unreadable in line " + line, cause);
  }
}
