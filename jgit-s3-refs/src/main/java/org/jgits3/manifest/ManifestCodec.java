// SPDX-License-Identifier: Apache-2.0
package org.jgits3.manifest;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * The stored form of a manifest: one JSON object in UTF-8.
 *
 * <p>Rules of the format, which hold for later versions as well:
 *
 * <ul>
 *   <li>The last field is {@code "crc32c"}, the CRC32C of all bytes before the comma that precedes
 *       it, 8 hex digits. A flipped or missing byte is thus an error, never another manifest.
 *   <li>A manifest that holds a repository has at least {@value #MIN_REPOSITORY_BYTES} bytes
 *       (spaces before the checksum make up for what is missing); a tombstone or a reservation has
 *       fewer. A listing, which gives key and size, thus tells one from the other without reading
 *       either.
 *   <li>Fields that a reader does not know may appear at the top level and in pack entries only.
 *       They survive a rewrite. Whatever a writer must understand is named in {@code requires}.
 * </ul>
 *
 * <p>Encoding is deterministic. Safe for use by many threads.
 */
final class ManifestCodec {
  /** Size in bytes from which on a listed manifest is that of a repository. */
  static final int MIN_REPOSITORY_BYTES = 4096;

  private static final String TRAILER_START = ",\"crc32c\":\"";
  private static final String TRAILER_END = "\"}";
  private static final int TRAILER_BYTES = TRAILER_START.length() + 8 + TRAILER_END.length();

  private static final JsonMapper MAPPER =
      JsonMapper.builder(
              JsonFactory.builder()
                  .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                  .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
                  .enable(JsonWriteFeature.COMBINE_UNICODE_SURROGATES_IN_UTF8)
                  .build())
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
          .build();

  private ManifestCodec() {}

  /**
   * Encodes a manifest.
   *
   * @param manifest manifest to store
   * @return its bytes
   * @throws ManifestException.TooLarge if there are more than {@link Manifest#MAX_BYTES}
   * @throws IOException if a text is not valid Unicode
   */
  static byte[] encode(Manifest manifest) throws IOException {
    return encode(manifest, Manifest.MAX_BYTES);
  }

  /**
   * Encodes a manifest of limited size.
   *
   * @param manifest manifest to store
   * @param most bytes it may have
   * @return its bytes
   * @throws ManifestException.TooLarge if there are more
   * @throws IOException if a text is not valid Unicode
   */
  static byte[] encode(Manifest manifest, int most) throws IOException {
    ByteArrayOutputStream out = fields(manifest);
    if (manifest.holdsRepository()) {
      int missing = MIN_REPOSITORY_BYTES - TRAILER_BYTES - out.size();
      out.writeBytes(" ".repeat(Math.max(0, missing)).getBytes(StandardCharsets.US_ASCII));
    }
    byte[] content = out.toByteArray();
    String trailer =
        TRAILER_START + HexFormat.of().toHexDigits(crc32c(content, content.length)) + TRAILER_END;
    byte[] bytes = Arrays.copyOf(content, content.length + TRAILER_BYTES);
    System.arraycopy(
        trailer.getBytes(StandardCharsets.US_ASCII), 0, bytes, content.length, TRAILER_BYTES);
    checkSize(manifest, bytes.length, most);
    return bytes;
  }

  /** All fields but the checksum. */
  private static ByteArrayOutputStream fields(Manifest manifest) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream(2 * MIN_REPOSITORY_BYTES);
    try (JsonGenerator json = MAPPER.getFactory().createGenerator(out)) {
      json.disable(JsonGenerator.Feature.AUTO_CLOSE_JSON_CONTENT);
      ManifestWriter.write(json, manifest);
    }
    return out;
  }

  private static void checkSize(Manifest manifest, int size, int most) throws IOException {
    if (size > most) {
      throw new ManifestException.TooLarge(
          "the manifest would have "
              + size
              + " bytes, at most "
              + most
              + " are allowed; "
              + remedy(manifest, size),
          manifest.generation(),
          size - most);
    }
    if (!manifest.holdsRepository() && size >= MIN_REPOSITORY_BYTES) {
      throw new IllegalStateException("a tombstone of " + size + " bytes: " + manifest.state());
    }
  }

  /** Those who commit fold refs and log by themselves; packs are merged by maintenance alone. */
  private static String remedy(Manifest manifest, int size) throws IOException {
    int ofPacks = size - fields(manifest.withPacks(List.of())).size();
    return ofPacks > Manifest.MAX_BYTES / 2
        ? "its "
            + manifest.packs().size()
            + " packs take most of them: run jgit-s3 gc, or Maintenance.collectGarbage, then retry"
        : "fold refs or log, then retry";
  }

  /**
   * Decodes a manifest.
   *
   * @param where what to call it in messages
   * @param bytes its stored form
   * @return the manifest; possibly one that this code must not write, see {@link Manifest#writable}
   * @throws ManifestException.Unsupported if it has a newer format
   * @throws ManifestException.Corrupt if the bytes are no manifest
   */
  static Manifest decode(String where, byte[] bytes) throws ManifestException {
    if (bytes.length > Manifest.MAX_BYTES) {
      throw corrupt(where, "has " + bytes.length + " bytes, more than any manifest", null);
    }
    boolean checked = checkTrailer(where, bytes);
    try {
      JsonNode json = MAPPER.readTree(bytes);
      ManifestReader reader = new ManifestReader(json);
      if (reader.format() > Manifest.FORMAT) {
        throw new ManifestException.Unsupported(
            where
                + ": has format "
                + reader.format()
                + ", this version knows "
                + Manifest.FORMAT
                + "; use a newer version");
      }
      if (!checked) {
        throw corrupt(where, "is truncated or no manifest: it does not end in a checksum", null);
      }
      return reader.read();
    } catch (JsonProcessingException e) {
      throw corrupt(where, "is no valid JSON: " + e.getOriginalMessage(), e);
    } catch (IllegalArgumentException | ArithmeticException e) {
      throw corrupt(where, e.getMessage(), e);
    } catch (IOException e) {
      throw e instanceof ManifestException m ? m : corrupt(where, e.getMessage(), e);
    }
  }

  /** Whether there is a checksum; if there is one, it is right. */
  private static boolean checkTrailer(String where, byte[] bytes) throws ManifestException {
    int content = bytes.length - TRAILER_BYTES;
    if (content < 0) {
      return false;
    }
    String trailer = new String(bytes, content, TRAILER_BYTES, StandardCharsets.ISO_8859_1);
    if (!trailer.startsWith(TRAILER_START) || !trailer.endsWith(TRAILER_END)) {
      return false;
    }
    String actual = HexFormat.of().toHexDigits(crc32c(bytes, content));
    if (!trailer.startsWith(actual, TRAILER_START.length())) {
      throw corrupt(where, "has a wrong checksum: its bytes are not those that were written", null);
    }
    return true;
  }

  private static int crc32c(byte[] bytes, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, length);
    return (int) crc.getValue();
  }

  private static ManifestException.Corrupt corrupt(String where, String what, Throwable cause) {
    return new ManifestException.Corrupt(where + ": " + what + "; it is left as it is", cause);
  }
}
