// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack.connectivity;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.ObjectId;

/**
 * Objects that a commit, tag or tree names, read from its raw bytes. For a malformed object, these
 * are the ids that can be recognised.
 */
public final class ReferredObjects {
  private static final Set<String> NAMING = Set.of("tree", "parent", "object");

  private ReferredObjects() {}

  /**
   * Reads an object.
   *
   * @param type its type, one of the constants of Git
   * @param data array with its content
   * @param off start of the content
   * @param len length of the content
   * @return ids in it; none for a blob
   */
  public static List<ObjectId> of(int type, byte[] data, int off, int len) {
    return switch (type) {
      case Constants.OBJ_TREE -> entries(data, off, off + len);
      case Constants.OBJ_COMMIT, Constants.OBJ_TAG -> header(data, off, len);
      default -> List.of();
    };
  }

  private static List<ObjectId> entries(byte[] data, int off, int end) {
    List<ObjectId> ids = new ArrayList<>();
    int at = off;
    while (at < end) {
      if (data[at++] != 0) {
        continue; // mode and name
      }
      if (at + Constants.OBJECT_ID_LENGTH <= end) {
        ids.add(ObjectId.fromRaw(data, at));
      }
      at += Constants.OBJECT_ID_LENGTH;
    }
    return ids;
  }

  private static List<ObjectId> header(byte[] data, int off, int len) {
    return new String(data, off, len, ISO_8859_1)
        .lines()
        .takeWhile(line -> !line.isEmpty())
        .map(line -> line.split(" ", 2))
        .filter(words -> words.length == 2 && NAMING.contains(words[0]) && ObjectId.isId(words[1]))
        .map(words -> ObjectId.fromString(words[1]))
        .toList();
  }
}
