// SPDX-License-Identifier: Apache-2.0
package org.jgits3.refs;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.manifest.LogEntry;
import org.jgits3.manifest.RefChange;
import org.jgits3.manifest.StoredObject;
import org.jgits3.store.StoreException;

/** Stored form of log segments (a JSON object a line) and of large transactions (a ref a line). */
final class LogCodec {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int HEX = 40;

  private LogCodec() {}

  static byte[] encodeSegment(List<LogEntry> entries) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (LogEntry e : entries) {
      out.writeBytes(encode(e).toString().getBytes(UTF_8));
      out.write('\n');
    }
    return out.toByteArray();
  }

  private static ObjectNode encode(LogEntry e) {
    ObjectNode node = JSON.createObjectNode();
    node.put("generation", e.generation());
    node.put("time", e.time());
    node.put("zone", e.zone());
    node.put("name", e.name());
    node.put("email", e.email());
    node.put("message", e.message());
    ArrayNode changes = node.putArray("changes");
    for (RefChange c : e.changes()) {
      changes.addArray().add(c.ref()).add(c.oldId().name()).add(c.newId().name());
    }
    e.external()
        .ifPresent(
            o ->
                node.putObject("external")
                    .put("id", o.id())
                    .put("size", o.size())
                    .put("crc32c", o.crc32c()));
    return node;
  }

  static List<LogEntry> decodeSegment(String key, byte[] bytes) throws StoreException.Corrupt {
    List<LogEntry> entries = new ArrayList<>();
    for (String line : new String(bytes, UTF_8).split("\n", -1)) {
      if (!line.isEmpty()) {
        entries.add(decode(key, line));
      }
    }
    return entries;
  }

  private static LogEntry decode(String key, String line) throws StoreException.Corrupt {
    try {
      JsonNode n = JSON.readTree(line);
      List<RefChange> changes = new ArrayList<>();
      for (JsonNode c : n.required("changes")) {
        changes.add(
            new RefChange(
                c.required(0).asText(),
                ObjectId.fromString(c.required(1).asText()),
                ObjectId.fromString(c.required(2).asText())));
      }
      return new LogEntry(
          n.required("generation").asLong(),
          n.required("time").asLong(),
          n.required("zone").asInt(),
          n.required("name").asText(),
          n.required("email").asText(),
          n.required("message").asText(),
          changes,
          n.has("external") ? Optional.of(external(n.get("external"))) : Optional.empty());
    } catch (JsonProcessingException | IllegalArgumentException e) {
      throw new StoreException.Corrupt(key, "log segment " + key + " is unreadable", e);
    }
  }

  private static StoredObject external(JsonNode n) {
    return new StoredObject(
        n.required("id").asText(), n.required("size").asLong(), n.required("crc32c").asInt());
  }

  static byte[] encodeChanges(List<RefChange> changes) {
    StringBuilder b = new StringBuilder(changes.size() * 128);
    for (RefChange c : changes) {
      b.append(c.oldId().name()).append(' ');
      b.append(c.newId().name()).append(' ');
      b.append(c.ref()).append('\n');
    }
    return b.toString().getBytes(UTF_8);
  }

  static List<RefChange> decodeChanges(String key, byte[] bytes) throws StoreException.Corrupt {
    List<RefChange> changes = new ArrayList<>();
    try {
      for (String line : new String(bytes, UTF_8).split("\n", -1)) {
        if (!line.isEmpty()) {
          changes.add(
              new RefChange(
                  line.substring(2 * HEX + 2),
                  ObjectId.fromString(line.substring(0, HEX)),
                  ObjectId.fromString(line.substring(HEX + 1, 2 * HEX + 1))));
        }
      }
    } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
      throw new StoreException.Corrupt(key, "log object " + key + " is unreadable", e);
    }
    return changes;
  }
}
