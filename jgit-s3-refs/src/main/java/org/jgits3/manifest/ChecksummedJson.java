// SPDX-License-Identifier: Apache-2.0
package org.jgits3.manifest;

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
import java.util.function.Function;
import org.jgits3.store.Crc32c;

/**
 * Stored form of a small mutable object: a JSON object whose last field is {@code "crc32c"}, the
 * CRC32C of all bytes before the comma that precedes it, 8 hex digits. A flipped or missing byte is
 * thus an error, never another value.
 */
final class ChecksummedJson {
  private static final String TRAILER_START = ",\"crc32c\":\"";
  private static final String TRAILER_END = "\"}";
  private static final int TRAILER_BYTES = TRAILER_START.length() + 8 + TRAILER_END.length();

  private ChecksummedJson() {}

  /**
   * Adds the checksum.
   *
   * @param json a JSON object with at least one field
   * @param least bytes that the result has at least; spaces before the checksum fill it
   * @return the stored form
   */
  static byte[] seal(byte[] json, int least) {
    int end = json.length - 1; // without the brace
    int content = Math.max(end, least - TRAILER_BYTES);
    byte[] bytes = Arrays.copyOf(json, content + TRAILER_BYTES);
    Arrays.fill(bytes, end, content, (byte) ' ');
    String trailer = TRAILER_START + StoredValues.hex(Crc32c.of(bytes, 0, content)) + TRAILER_END;
    System.arraycopy(trailer.getBytes(StandardCharsets.US_ASCII), 0, bytes, content, TRAILER_BYTES);
    return bytes;
  }

  /**
   * Decodes a stored form. Its field {@code format} is read before any other.
   *
   * @param where name for messages
   * @param what kind of object, for messages
   * @param bytes its stored form
   * @param newest newest format that is known
   * @param fields type of its fields
   * @param value makes the value; throws {@link IllegalArgumentException} if a rule is broken
   * @return the value
   * @throws ManifestException.Unsupported if it has a newer format
   * @throws ManifestException.Corrupt if the bytes are no such object
   */
  static <F, T> T decode(
      String where, String what, byte[] bytes, int newest, Class<F> fields, Function<F, T> value)
      throws ManifestException {
    boolean checked = check(where, bytes);
    try {
      long format = format(bytes);
      if (format > newest) {
        throw new ManifestException.Unsupported(
            where
                + ": has format "
                + format
                + ", this version knows "
                + newest
                + "; use a newer version");
      }
      if (!checked) {
        throw corrupt(
            where, "is truncated or no " + what + ": it does not end in a checksum", null);
      }
      return value.apply(StoredValues.MAPPER.readValue(bytes, fields));
    } catch (JsonMappingException e) {
      throw corrupt(where, reason(what, e), e);
    } catch (JsonProcessingException e) {
      throw corrupt(where, "is no valid JSON: " + e.getOriginalMessage(), e);
    } catch (IllegalArgumentException e) {
      throw corrupt(where, e.getMessage(), e);
    } catch (IOException e) {
      throw e instanceof ManifestException m ? m : corrupt(where, e.getMessage(), e);
    }
  }

  /** Checks the checksum; false if there is none. */
  private static boolean check(String where, byte[] bytes) throws ManifestException.Corrupt {
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

  /** Reads the one field that every format has. */
  private static long format(byte[] bytes) throws IOException {
    try (JsonParser json = StoredValues.MAPPER.createParser(bytes)) {
      boolean object = json.nextToken() == JsonToken.START_OBJECT;
      while (object && json.nextToken() == JsonToken.FIELD_NAME) {
        boolean found = json.currentName().equals("format");
        if (json.nextToken() == JsonToken.VALUE_NUMBER_INT && found) {
          return known(json.getLongValue());
        }
        json.skipChildren();
      }
      throw new IllegalArgumentException("is no JSON object with a number as format");
    }
  }

  private static long known(long format) {
    if (format < 1) {
      throw new IllegalArgumentException("has format " + format);
    }
    return format;
  }

  /** Path to the wrong field, and the problem. */
  private static String reason(String what, JsonMappingException e) {
    StringBuilder field = new StringBuilder();
    for (JsonMappingException.Reference at : e.getPath()) {
      if (at.getFieldName() == null) {
        field.append('[').append(at.getIndex()).append(']');
      } else {
        field.append(field.isEmpty() ? "" : ".").append(at.getFieldName());
      }
    }
    if (field.isEmpty()) {
      return "is no " + what + ": " + e.getOriginalMessage();
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

  /** The exception for bytes that are left as they are. */
  static ManifestException.Corrupt corrupt(String where, String what, Throwable cause) {
    return new ManifestException.Corrupt(where + ": " + what + "; it is left as it is", cause);
  }
}
