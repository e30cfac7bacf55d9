// SPDX-License-Identifier: Apache-2.0
package org.jgits3.manifest;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * One pack: what JGit reads of its {@code DfsPackDescription}, and where its files are.
 *
 * @param id minted name of the pack; its files are {@code <id>.<ext>}, or slices of {@code
 *     <id>.bundle}
 * @param source why the pack was written, the name of a JGit {@code PackSource}
 * @param files its files by extension ({@code pack}, {@code idx} ...)
 * @param lastModified when it was made, or the oldest of the packs that were merged into it, in
 *     milliseconds since the epoch; for ordering, and to tell when a collection is due and when
 *     garbage expires
 * @param objects number of objects
 * @param deltas number of deltas
 * @param extra fields of a later version of the format, kept as they are
 */
public record PackEntry(
    @JsonDeserialize(using = StoredValues.Minted.class) String id,
    String source,
    @JsonInclude(JsonInclude.Include.ALWAYS) SortedMap<String, PackFileEntry> files,
    @JsonProperty("time") long lastModified,
    long objects,
    long deltas,
    @JsonAnyGetter @JsonAnySetter Map<String, JsonNode> extra) {
  /** Copies the maps. */
  public PackEntry {
    files = Collections.unmodifiableSortedMap(new TreeMap<>(files));
    extra = Collections.unmodifiableSortedMap(new TreeMap<>(extra));
  }

  /**
   * Objects in the store that this pack consists of.
   *
   * @param repositoryId id of the repository
   * @return size in bytes of each, by key
   */
  public SortedMap<String, Long> objectSizes(String repositoryId) {
    SortedMap<String, Long> sizes = new TreeMap<>();
    objects(repositoryId).forEach(object -> sizes.put(object.key(), object.size()));
    return sizes;
  }

  /**
   * Length of a bundle.
   *
   * @param files files of one pack, some of them in its bundle
   * @return bytes; 0 if none is
   */
  public static long bundleSize(Collection<PackFileEntry> files) {
    return files.stream()
        .filter(PackFileEntry::bundled)
        .mapToLong(file -> Math.addExact(file.offset(), file.size()))
        .max()
        .orElse(0);
  }

  /**
   * Objects in the store that this pack consists of, with their checksums.
   *
   * @param repositoryId id of the repository
   * @return an object for each file, and one for all files that are slices of the bundle
   */
  public List<LiveObject> objects(String repositoryId) {
    List<LiveObject> objects = new ArrayList<>();
    List<LiveObject.Section> bundled = new ArrayList<>();
    files.forEach(
        (ext, file) -> {
          if (file.bundled()) {
            bundled.add(new LiveObject.Section(file.offset(), file.size(), file.crc32c()));
          } else {
            String key = ObjectNames.packKey(repositoryId, id, ext);
            objects.add(LiveObject.whole(key, file.size(), file.crc32c()));
          }
        });
    if (!bundled.isEmpty()) {
      bundled.sort(Comparator.comparingLong(LiveObject.Section::offset));
      objects.add(
          new LiveObject(ObjectNames.packKey(repositoryId, id, ObjectNames.BUNDLE), bundled));
    }
    return objects;
  }
}
