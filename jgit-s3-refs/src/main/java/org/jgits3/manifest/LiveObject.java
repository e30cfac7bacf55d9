// SPDX-License-Identifier: Apache-2.0
package org.jgits3.manifest;

import java.util.ArrayList;
import java.util.List;

/**
 * An immutable object in the store that a manifest lists, with the checksums of its bytes.
 *
 * @param key key of the object
 * @param sections runs of bytes whose checksums the manifest knows, in ascending order
 */
public record LiveObject(String key, List<Section> sections) {
  /** Copies the list. */
  public LiveObject {
    sections = List.copyOf(sections);
  }

  /**
   * A run of bytes.
   *
   * @param offset where in the object it begins
   * @param size length in bytes
   * @param crc32c CRC32C of its bytes
   */
  public record Section(long offset, long size, int crc32c) {}

  /** An object of which the manifest knows size and checksum. */
  static LiveObject whole(String key, long size, int crc32c) {
    return new LiveObject(key, List.of(new Section(0, size, crc32c)));
  }

  private static LiveObject whole(String key, StoredObject object) {
    return whole(key, object.size(), object.crc32c());
  }

  /**
   * Bytes of the object.
   *
   * @return the end of the last section
   */
  public long size() {
    return sections.stream().mapToLong(s -> s.offset() + s.size()).max().orElse(0);
  }

  /**
   * All objects that a manifest lists.
   *
   * @param manifest the manifest
   * @return its tables of refs, the files of its packs, and its log objects
   */
  public static List<LiveObject> of(Manifest manifest) {
    List<LiveObject> objects = new ArrayList<>();
    for (RefSnapshot table : manifest.refs().tables()) {
      String key = ObjectNames.snapshotKey(manifest.owner(table.id()), table.id());
      objects.add(whole(key, table.size(), table.crc32c()));
    }
    manifest.packs().forEach(pack -> objects.addAll(pack.objects(manifest.owner(pack.id()))));
    for (StoredObject object : manifest.log().objects().toList()) {
      objects.add(whole(ObjectNames.logKey(manifest.owner(object.id()), object.id()), object));
    }
    return objects;
  }
}
