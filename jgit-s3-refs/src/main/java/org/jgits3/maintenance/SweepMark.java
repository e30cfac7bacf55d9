// SPDX-License-Identifier: Apache-2.0
package org.jgits3.maintenance;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;

import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.store.Crc32c;

/**
 * Mark that a sweep leaves for later ones: a time at which a generation was current, and the
 * objects that its manifest ruled out.
 *
 * <p>Stored as lines of text: version, time, boundary and number of keys in the first, then the
 * keys that the manifest listed, without the prefix of the repository's objects. The last line is
 * the CRC32C of repository, generation and the lines before. It is needed to detect damage, because
 * no manifest lists the checksum of a mark.
 *
 * @param generation the generation
 * @param time a time at which it already existed
 * @param unlisted objects that its manifest ruled out
 */
record SweepMark(long generation, Instant time, UnlistedObjects unlisted) {
  private static final Pattern HEAD = Pattern.compile("3 (\\S+) (\\d{1,18}) (\\d{1,9})");

  /**
   * Encodes the stored form.
   *
   * @param repositoryId id of the repository
   */
  byte[] encode(String repositoryId) {
    List<String> lines = new ArrayList<>();
    lines.add("3 " + time + " " + unlisted.sweepBoundary() + " " + unlisted.listed().size());
    int prefix = ObjectNames.prefix(repositoryId).length();
    unlisted.listed().stream().map(key -> key.substring(prefix)).sorted().forEach(lines::add);
    lines.add(checksum(repositoryId, generation, lines));
    return String.join("\n", lines).getBytes(US_ASCII);
  }

  private static String checksum(String repositoryId, long generation, List<String> lines) {
    String text = repositoryId + " " + generation + "\n" + String.join("\n", lines);
    return HexFormat.of().toHexDigits(Crc32c.of(text.getBytes(ISO_8859_1)));
  }

  /**
   * Reads a stored form.
   *
   * @param repositoryId id of the repository
   * @param generation generation in the name of the mark
   * @param bytes the stored form
   * @return the mark; empty if the bytes are not those of this mark, or of another version
   */
  static Optional<SweepMark> decode(String repositoryId, long generation, byte[] bytes) {
    List<String> all = List.of(new String(bytes, ISO_8859_1).split("\n", -1));
    List<String> lines = all.subList(0, all.size() - 1);
    if (!all.get(lines.size()).equals(checksum(repositoryId, generation, lines))) {
      return Optional.empty();
    }
    try {
      Matcher head = HEAD.matcher(lines.isEmpty() ? "" : lines.get(0));
      if (!head.matches() || lines.size() - 1 != Integer.parseInt(head.group(3))) {
        return Optional.empty();
      }
      Set<String> listed = new HashSet<>();
      lines.stream().skip(1).forEach(key -> listed.add(ObjectNames.prefix(repositoryId) + key));
      UnlistedObjects unlisted = new UnlistedObjects(Long.parseLong(head.group(2)), listed);
      return Optional.of(new SweepMark(generation, Instant.parse(head.group(1)), unlisted));
    } catch (DateTimeParseException e) {
      return Optional.empty();
    }
  }
}
