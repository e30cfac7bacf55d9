// SPDX-License-Identifier: Apache-2.0
package org.jgits3.manifest;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * One pack: everything that JGit's {@code DfsPackDescription} knows of it, and where its files are.
 *
 * @param id minted name of the pack; its files are {@code <id>.<ext>}, or slices of {@code
 *     <id>.bundle}
 * @param source why the pack was written, the name of a JGit {@code PackSource}
 * @param files its files by extension ({@code pack}, {@code idx} ...)
 * @param lastModified milliseconds since the epoch; for ordering and for the age of garbage only
 * @param objects number of objects
 * @param deltas number of deltas
 * @param estimatedSize size expected when it was begun; 0 if unknown
 * @param indexVersion version of the pack index
 * @param extra fields of a later version of the format, kept as they are
 */
public record PackEntry(
    String id,
    String source,
    SortedMap<String, PackFileEntry> files,
    long lastModified,
    long objects,
    long deltas,
    long estimatedSize,
    int indexVersion,
    Map<String, JsonNode> extra) {
  /** Copies the maps. */
  public PackEntry {
    files = Collections.unmodifiableSortedMap(new TreeMap<>(files));
    extra = Map.copyOf(extra);
  }
}
