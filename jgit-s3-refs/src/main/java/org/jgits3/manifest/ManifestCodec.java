// SPDX-License-Identifier: Apache-2.0
package org.jgits3.manifest;

import static java.util.function.Predicate.not;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.exc.InvalidNullException;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import com.fasterxml.jackson.databind.exc.ValueInstantiationException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jgits3.store.Crc32c;

/**
 * The stored form of a manifest: one JSON object in UTF-8.
 *
 * <p>Rules of the format, which hold for later versions as well:
 *
 * <ul>
 *   <li>The last field is {@code "crc32c"}, the CRC32C of all bytes before the comma that precedes
 *       it, 8 hex digits. A flipped or missing byte is thus an error, never another manifest.
 *   <li>A manifest that holds a repository has at least {@value #MIN_REPOSITORY_BYTES} bytes
 *       (padded with spaces before the checksum); a tombstone or a reservation has fewer. A
 *       listing, which gives key and size, thus tells one from the other without reading either.
 *   <li>A manifest contains the name that it was written for. Finding it under another name is an
 *       error. A manifest that an earlier version wrote contains no name, or that of an earlier
 *       generation, which does not count; it is accepted.
 *   <li>A manifest that an earlier version would misread has a higher format number, which is read
 *       before any other field: 1, plus 1 with a table of recent refs, plus 2 for a template, its
 *       tombstone, and a fork.
 *   <li>Fields that a reader does not know may appear at the top level and in pack entries only.
 *       They survive a rewrite. Features that a writer must understand are named in {@code
 *       requires}.
 * </ul>
 *
 * <p>Encoding is deterministic. Safe for use by many threads.
 */
public final class ManifestCodec {
  /** Least size in bytes of a manifest that holds a repository. */
  public static final int MIN_REPOSITORY_BYTES = 4096;

  private static final String TRAILER_START = ",\"crc32c\":\"";
  private static final String TRAILER_END = "\"}";
  private static final int TRAILER_BYTES = TRAILER_START.length() + 8 + TRAILER_END.length();

  private ManifestCodec() {}

  /**
   * Encodes a manifest.
   *
   * @param name name under which it is stored
   * @param manifest manifest to store
   * @return its bytes
   * @throws ManifestException.TooLarge if there are more than {@link Manifest#MAX_BYTES}
   * @throws IOException if a text is not valid Unicode
   */
  public static byte[] encode(RepositoryName name, Manifest manifest) throws IOException {
    return encode(name, manifest, Manifest.MAX_BYTES);
  }

  /**
   * Encodes a manifest of limited size.
   *
   * @param name name under which it is stored
   * @param manifest manifest to store
   * @param most bytes it may have
   * @return its bytes
   * @throws ManifestException.TooLarge if there are more
   * @throws IOException if a text is not valid Unicode
   */
  public static byte[] encode(RepositoryName name, Manifest manifest, int most) throws IOException {
    byte[] fields = fields(name, manifest);
    int end = fields.length - 1; // without the brace
    int content =
        manifest.holdsRepository() ? Math.max(end, MIN_REPOSITORY_BYTES - TRAILER_BYTES) : end;
    byte[] bytes = Arrays.copyOf(fields, content + TRAILER_BYTES);
    Arrays.fill(bytes, end, content, (byte) ' ');
    String trailer = TRAILER_START + StoredValues.hex(Crc32c.of(bytes, 0, content)) + TRAILER_END;
    System.arraycopy(trailer.getBytes(StandardCharsets.US_ASCII), 0, bytes, content, TRAILER_BYTES);
    checkSize(name, manifest, bytes.length, most);
    return bytes;
  }

  /** All fields but the checksum. */
  private static byte[] fields(RepositoryName name, Manifest manifest) throws IOException {
    return StoredValues.MAPPER.writeValueAsBytes(ManifestFields.of(name, manifest));
  }

  private static void checkSize(RepositoryName name, Manifest manifest, int size, int most)
      throws IOException {
    if (size > most) {
      throw new ManifestException.TooLarge(
          "the manifest would have "
              + size
              + " bytes, at most "
              + most
              + " are allowed; "
              + remedy(name, manifest, size),
          manifest.generation(),
          size - most);
    }
    if (!manifest.holdsRepository() && size >= MIN_REPOSITORY_BYTES) {
      throw new IllegalStateException("a tombstone of " + size + " bytes: " + manifest.state());
    }
  }

  /** Committers fold refs and log by themselves; packs are merged by maintenance alone. */
  private static String remedy(RepositoryName name, Manifest manifest, int size)
      throws IOException {
    int ofPacks = size - fields(name, manifest.withPacks(List.of())).length;
    return ofPacks > Manifest.MAX_BYTES / 2
        ? "its "
            + manifest.packs().size()
            + " packs take most of them: run jgit-s3 gc, or Maintenance.collectGarbage, then retry"
        : "fold refs or log, then retry";
  }

  /**
   * Decodes the manifest that is stored under a name.
   *
   * @param where name for messages
   * @param name name under which it was found
   * @param bytes its stored form
   * @return the manifest; possibly one that this code must not write, see {@link Manifest#writable}
   * @throws ManifestException.Unsupported if it has a newer format
   * @throws ManifestException.Corrupt if the bytes are no manifest, or that of another name
   */
  public static Manifest decode(String where, RepositoryName name, byte[] bytes)
      throws ManifestException {
    return decode(where, Optional.of(name), bytes);
  }

  /**
   * Decodes a manifest of any name, such as a copy.
   *
   * @param where name for messages
   * @param bytes its stored form
   * @return the manifest; possibly one that this code must not write, see {@link Manifest#writable}
   * @throws ManifestException.Unsupported if it has a newer format
   * @throws ManifestException.Corrupt if the bytes are no manifest
   */
  public static Manifest decode(String where, byte[] bytes) throws ManifestException {
    return decode(where, Optional.empty(), bytes);
  }

  private static Manifest decode(String where, Optional<RepositoryName> name, byte[] bytes)
      throws ManifestException {
    if (bytes.length > Manifest.MAX_BYTES) {
      throw corrupt(where, "has " + bytes.length + " bytes, more than any manifest", null);
    }
    boolean checked = checkTrailer(where, bytes);
    try {
      long format = format(bytes);
      if (format > Manifest.FORMAT) {
        throw new ManifestException.Unsupported(
            where
                + ": has format "
                + format
                + ", this version knows "
                + Manifest.FORMAT
                + "; use a newer version");
      }
      if (!checked) {
        throw corrupt(where, "is truncated or no manifest: it does not end in a checksum", null);
      }
      ManifestFields fields = StoredValues.MAPPER.readValue(bytes, ManifestFields.class);
      Manifest manifest = fields.manifest();
      checkName(fields.name(), name);
      return manifest;
    } catch (JsonMappingException e) {
      throw corrupt(where, reason(e), e);
    } catch (JsonProcessingException e) {
      throw corrupt(where, "is no valid JSON: " + e.getOriginalMessage(), e);
    } catch (IllegalArgumentException e) {
      throw corrupt(where, e.getMessage(), e);
    } catch (IOException e) {
      throw e instanceof ManifestException m ? m : corrupt(where, e.getMessage(), e);
    }
  }

  private static void checkName(Optional<String> written, Optional<RepositoryName> found) {
    if (found.isPresent() && written.filter(not(found.get().value()::equals)).isPresent()) {
      throw new IllegalArgumentException(
          "is the manifest of "
              + written.get()
              + " under the name "
              + found.get()
              + ": it was copied, moved or restored to another key; put back what was here, see"
              + " Restore in operations");
    }
  }

  /** Reads the one field that every format has. */
  private static long format(byte[] bytes) throws IOException {
    try (JsonParser json = StoredValues.MAPPER.createParser(bytes)) {
      boolean object = json.nextToken() == JsonToken.START_OBJECT;
      while (object && json.nextToken() == JsonToken.FIELD_NAME) {
        boolean found = json.currentName().equals("format");
        if (json.nextToken() == JsonToken.VALUE_NUMBER_INT && found) {
          return json.getLongValue();
        }
        json.skipChildren();
      }
      throw new IllegalArgumentException("is no JSON object with a number as format");
    }
  }

  /** Path to the wrong field, and the problem. */
  private static String reason(JsonMappingException e) {
    StringBuilder field = new StringBuilder();
    for (JsonMappingException.Reference at : e.getPath()) {
      if (at.getFieldName() == null) {
        field.append('[').append(at.getIndex()).append(']');
      } else {
        field.append(field.isEmpty() ? "" : ".").append(at.getFieldName());
      }
    }
    if (field.isEmpty()) {
      return "is no manifest: " + e.getOriginalMessage();
    }
    if (e instanceof InvalidNullException) {
      return "lacks the field " + field + ", or it is null";
    }
    if (e instanceof ValueInstantiationException && e.getCause() != null) {
      return field + " " + e.getCause().getMessage();
    }
    return e instanceof UnrecognizedPropertyException
        ? "has the unknown field " + field
        : field + ": " + e.getOriginalMessage();
  }

  /**
   * Checks the checksum.
   *
   * @return true if it is right, false if there is none
   */
  private static boolean checkTrailer(String where, byte[] bytes) throws ManifestException {
    int content = bytes.length - TRAILER_BYTES;
    if (content < 0) {
      return false;
    }
    String trailer = new String(bytes, content, TRAILER_BYTES, StandardCharsets.ISO_8859_1);
    if (!trailer.startsWith(TRAILER_START) || !trailer.endsWith(TRAILER_END)) {
      return false;
    }
    String actual = StoredValues.hex(Crc32c.of(bytes, 0, content));
    if (!trailer.startsWith(actual, TRAILER_START.length())) {
      throw corrupt(where, "has a wrong checksum: its bytes are not those that were written", null);
    }
    return true;
  }

  private static ManifestException.Corrupt corrupt(String where, String what, Throwable cause) {
    return new ManifestException.Corrupt(where + ": " + what + "; it is left as it is", cause);
  }
}
