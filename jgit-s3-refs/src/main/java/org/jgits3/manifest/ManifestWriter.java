// SPDX-License-Identifier: Apache-2.0
package org.jgits3.manifest;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import org.eclipse.jgit.lib.AnyObjectId;
import org.eclipse.jgit.lib.ObjectId;

/**
 * Writes the fields of a manifest, in a fixed order, up to where the checksum goes. What is empty
 * is left out; what comes in great numbers is a tuple, not an object.
 */
final class ManifestWriter {
  private final JsonGenerator json;

  private ManifestWriter(JsonGenerator json) {
    this.json = json;
  }

  /** Writes a manifest as an object that is still open. */
  static void write(JsonGenerator json, Manifest m) throws IOException {
    new ManifestWriter(json).manifest(m);
  }

  private void manifest(Manifest m) throws IOException {
    json.writeStartObject();
    json.writeNumberField("format", Manifest.FORMAT);
    json.writeStringField("repositoryId", m.repositoryId());
    state(m.state());
    json.writeNumberField("generation", m.generation());
    json.writeStringField("nonce", m.nonce());
    texts("requires", new TreeSet<>(m.identity().requires()));
    writers(m.counters().writers());
    json.writeNumberField("prunedTo", m.counters().prunedTo());
    json.writeNumberField("boundary", m.boundary());
    json.writeNumberField("dropped", m.dropped());
    settings(m.settings());
    refs(m.refs());
    if (!m.packs().isEmpty()) {
      json.writeArrayFieldStart("packs");
      for (PackEntry pack : m.packs()) {
        pack(pack);
      }
      json.writeEndArray();
    }
    log(m.log());
    left(m.left());
    extra(m.extra());
  }

  private void state(RepositoryState state) throws IOException {
    if (state instanceof RepositoryState.Active active) {
      json.writeStringField("state", "active");
      if (active.importOf().isPresent()) {
        json.writeStringField("importOf", active.importOf().get());
      }
    } else if (state instanceof RepositoryState.Deleted) {
      json.writeStringField("state", "deleted");
    } else if (state instanceof RepositoryState.Moving moving) {
      json.writeStringField("state", "moving");
      json.writeStringField("to", moving.to());
      json.writeStringField("rename", moving.rename());
      json.writeNumberField("reserved", moving.reserved());
    } else if (state instanceof RepositoryState.Moved moved) {
      json.writeStringField("state", "moved");
      json.writeStringField("to", moved.to());
    } else if (state instanceof RepositoryState.Reserved reserved) {
      json.writeStringField("state", "reserved");
      json.writeStringField("from", reserved.from());
      json.writeStringField("rename", reserved.rename());
    }
  }

  private void writers(Map<String, Long> writers) throws IOException {
    if (writers.isEmpty()) {
      return;
    }
    json.writeObjectFieldStart("writers");
    for (Map.Entry<String, Long> entry : writers.entrySet()) {
      json.writeNumberField(entry.getKey(), entry.getValue());
    }
    json.writeEndObject();
  }

  private void settings(RepositorySettings settings) throws IOException {
    if (settings.equals(RepositorySettings.NONE)) {
      return;
    }
    json.writeObjectFieldStart("settings");
    json.writeStringField("config", settings.config());
    json.writeStringField("description", settings.description());
    texts("shallow", settings.shallow().stream().sorted().map(AnyObjectId::name).toList());
    json.writeEndObject();
  }

  private void refs(Refs refs) throws IOException {
    if (refs.equals(Refs.NONE)) {
      return;
    }
    json.writeObjectFieldStart("refs");
    if (refs.snapshot().isPresent()) {
      snapshot(refs.snapshot().get());
    }
    if (!refs.overlay().isEmpty()) {
      json.writeObjectFieldStart("overlay");
      for (Map.Entry<String, RefValue> entry : refs.overlay().entrySet()) {
        json.writeFieldName(entry.getKey());
        refValue(entry.getValue());
      }
      json.writeEndObject();
    }
    if (!refs.symrefs().isEmpty()) {
      json.writeObjectFieldStart("symrefs");
      for (Map.Entry<String, String> entry : refs.symrefs().entrySet()) {
        json.writeStringField(entry.getKey(), entry.getValue());
      }
      json.writeEndObject();
    }
    json.writeEndObject();
  }

  private void snapshot(RefSnapshot snapshot) throws IOException {
    json.writeObjectFieldStart("snapshot");
    json.writeStringField("id", snapshot.id());
    json.writeNumberField("size", snapshot.size());
    json.writeNumberField("count", snapshot.count());
    json.writeStringField("crc32c", hex(snapshot.crc32c()));
    json.writeStringField("sha256", snapshot.sha256());
    if (snapshot.delta().isPresent()) {
      json.writeFieldName("delta");
      stored(snapshot.delta().get());
    }
    json.writeEndObject();
  }

  private void refValue(RefValue value) throws IOException {
    if (!(value instanceof RefValue.Direct direct)) {
      json.writeNull();
    } else if (direct.peeled().isEmpty()) {
      json.writeString(direct.id().name());
    } else {
      json.writeStartArray();
      json.writeString(direct.id().name());
      json.writeString(direct.peeled().get().name());
      json.writeEndArray();
    }
  }

  private void pack(PackEntry pack) throws IOException {
    json.writeStartObject();
    json.writeStringField("id", pack.id());
    json.writeStringField("source", pack.source());
    json.writeObjectFieldStart("files");
    for (Map.Entry<String, PackFileEntry> entry : pack.files().entrySet()) {
      PackFileEntry file = entry.getValue();
      json.writeArrayFieldStart(entry.getKey());
      json.writeNumber(file.size());
      json.writeNumber(file.range());
      json.writeString(hex(file.crc32c()));
      if (file.bundled()) {
        json.writeNumber(file.offset());
      }
      json.writeEndArray();
    }
    json.writeEndObject();
    json.writeNumberField("time", pack.lastModified());
    json.writeNumberField("objects", pack.objects());
    json.writeNumberField("deltas", pack.deltas());
    json.writeNumberField("estimated", pack.estimatedSize());
    json.writeNumberField("index", pack.indexVersion());
    extra(pack.extra());
    json.writeEndObject();
  }

  private void log(TransactionLog log) throws IOException {
    if (log.equals(TransactionLog.EMPTY)) {
      return;
    }
    json.writeObjectFieldStart("log");
    if (!log.segments().isEmpty()) {
      json.writeArrayFieldStart("segments");
      for (LogSegment segment : log.segments()) {
        json.writeStartArray();
        stored(segment.object());
        json.writeNumber(segment.from());
        json.writeNumber(segment.to());
        json.writeNumber(segment.entries());
        json.writeNumber(segment.indexSize());
        json.writeEndArray();
      }
      json.writeEndArray();
    }
    if (!log.tail().isEmpty()) {
      json.writeArrayFieldStart("tail");
      for (LogEntry entry : log.tail()) {
        logEntry(entry);
      }
      json.writeEndArray();
    }
    json.writeEndObject();
  }

  private void left(List<Departure> left) throws IOException {
    if (left.isEmpty()) {
      return;
    }
    json.writeArrayFieldStart("left");
    for (Departure departure : left) {
      json.writeStartArray();
      json.writeString(departure.repositoryId());
      json.writeString(departure.to());
      json.writeNumber(departure.reserved());
      json.writeEndArray();
    }
    json.writeEndArray();
  }

  private void logEntry(LogEntry entry) throws IOException {
    json.writeStartArray();
    json.writeNumber(entry.generation());
    json.writeNumber(entry.time());
    json.writeNumber(entry.zone());
    json.writeString(entry.name());
    json.writeString(entry.email());
    json.writeString(entry.message());
    json.writeStartArray();
    for (RefChange change : entry.changes()) {
      json.writeStartArray();
      json.writeString(change.ref());
      idOrNull(change.oldId());
      idOrNull(change.newId());
      details(change);
      json.writeEndArray();
    }
    json.writeEndArray();
    if (entry.external().isPresent()) {
      stored(entry.external().get());
    }
    json.writeEndArray();
  }

  private void details(RefChange change) throws IOException {
    Map<String, Optional<String>> details =
        new TreeMap<>(
            Map.of(
                "was", change.oldTarget(),
                "is", change.newTarget(),
                "from", change.renamedFrom()));
    details.values().removeIf(Optional::isEmpty);
    if (details.isEmpty()) {
      return;
    }
    json.writeStartObject();
    for (Map.Entry<String, Optional<String>> detail : details.entrySet()) {
      json.writeStringField(detail.getKey(), detail.getValue().orElseThrow());
    }
    json.writeEndObject();
  }

  private void stored(StoredObject object) throws IOException {
    json.writeStartArray();
    json.writeString(object.id());
    json.writeNumber(object.size());
    json.writeString(hex(object.crc32c()));
    json.writeEndArray();
  }

  private void idOrNull(ObjectId id) throws IOException {
    if (id.equals(ObjectId.zeroId())) {
      json.writeNull();
    } else {
      json.writeString(id.name());
    }
  }

  private void texts(String field, Collection<String> values) throws IOException {
    if (values.isEmpty()) {
      return;
    }
    json.writeArrayFieldStart(field);
    for (String value : values) {
      json.writeString(value);
    }
    json.writeEndArray();
  }

  private void extra(Map<String, JsonNode> extra) throws IOException {
    for (Map.Entry<String, JsonNode> entry : new TreeMap<>(extra).entrySet()) {
      json.writeFieldName(entry.getKey());
      json.writeTree(entry.getValue());
    }
  }

  private static String hex(int crc32c) {
    return HexFormat.of().toHexDigits(crc32c);
  }
}
