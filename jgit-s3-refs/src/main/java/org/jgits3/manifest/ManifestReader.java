// SPDX-License-Identifier: Apache-2.0
package org.jgits3.manifest;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import org.eclipse.jgit.lib.ObjectId;

/**
 * Reads the fields of a manifest and checks the rules that hold for each by itself and between
 * them. Whatever breaks one is an {@link IllegalArgumentException} that says which.
 */
final class ManifestReader {
  private static final Set<String> FIELDS =
      Set.of(
          "format",
          "repositoryId",
          "state",
          "to",
          "from",
          "rename",
          "importOf",
          "generation",
          "nonce",
          "requires",
          "writers",
          "prunedTo",
          "boundary",
          "dropped",
          "settings",
          "refs",
          "packs",
          "log",
          "left",
          "reserved",
          "crc32c");
  private static final Set<String> PACK_FIELDS =
      Set.of("id", "source", "files", "time", "objects", "deltas", "estimated", "index");

  private final JsonFields top;

  ManifestReader(JsonNode json) {
    top = new JsonFields("the manifest", json);
  }

  long format() {
    return top.number("format");
  }

  Manifest read() {
    if (format() != Manifest.FORMAT) {
      throw new IllegalArgumentException("has format " + format() + ", which never existed");
    }
    long generation = top.number("generation");
    Manifest manifest =
        new Manifest(
            new Manifest.Identity(
                hex(top.text("repositoryId"), 32, "repositoryId"),
                state(),
                generation,
                top.text("nonce"),
                Set.copyOf(top.texts("requires"))),
            new Manifest.Counters(
                writers(),
                atMost(generation, "prunedTo"),
                atMost(generation, "boundary"),
                atMost(generation, "dropped")),
            new Manifest.Content(
                top.object("settings")
                    .map(ManifestReader::settings)
                    .orElse(RepositorySettings.NONE),
                top.object("refs").map(ManifestReader::refs).orElse(Refs.NONE),
                packs(),
                top.object("log").map(ManifestReader::log).orElse(TransactionLog.EMPTY)),
            left(),
            top.others(FIELDS));
    if (generation < 1) {
      throw new IllegalArgumentException("has generation " + generation);
    }
    return manifest;
  }

  private long atMost(long generation, String field) {
    long value = top.number(field);
    if (value > generation) {
      throw new IllegalArgumentException(
          field + " is " + value + ", above the generation " + generation);
    }
    return value;
  }

  private RepositoryState state() {
    String state = top.text("state");
    return switch (state) {
      case "active" -> new RepositoryState.Active(top.value("importOf").map(JsonFields::asText));
      case "deleted" -> RepositoryState.DELETED;
      case "moving" ->
          new RepositoryState.Moving(top.text("to"), top.text("rename"), top.number("reserved"));
      case "moved" -> new RepositoryState.Moved(top.text("to"));
      case "reserved" -> new RepositoryState.Reserved(top.text("from"), top.text("rename"));
      default -> throw new IllegalArgumentException("has the unknown state " + state);
    };
  }

  private List<Departure> left() {
    List<Departure> left = new ArrayList<>();
    for (JsonNode node : top.list("left")) {
      JsonTuple entry = new JsonTuple("left", node, 3, 3);
      left.add(new Departure(hex(entry.text(0), 32, "left"), entry.text(1), entry.number(2)));
    }
    return left;
  }

  private SortedMap<String, Long> writers() {
    return map(top.object("writers"), value -> JsonTuple.natural("writers", value));
  }

  private static RepositorySettings settings(JsonFields settings) {
    settings.noOthers(Set.of("config", "description", "shallow"));
    return new RepositorySettings(
        settings.text("config"),
        settings.text("description"),
        new LinkedHashSet<>(settings.texts("shallow").stream().map(ObjectId::fromString).toList()));
  }

  private static Refs refs(JsonFields refs) {
    refs.noOthers(Set.of("snapshot", "overlay", "symrefs"));
    return new Refs(
        refs.object("snapshot").map(ManifestReader::snapshot),
        map(refs.object("overlay"), ManifestReader::refValue),
        map(refs.object("symrefs"), JsonFields::asText));
  }

  private static RefSnapshot snapshot(JsonFields snapshot) {
    snapshot.noOthers(Set.of("id", "size", "count", "crc32c", "sha256", "delta"));
    return new RefSnapshot(
        minted(snapshot.text("id")),
        snapshot.number("size"),
        snapshot.number("count"),
        crc(snapshot.text("crc32c")),
        hex(snapshot.text("sha256"), 64, "sha256"),
        snapshot.value("delta").map(ManifestReader::stored));
  }

  private static RefValue refValue(JsonNode value) {
    if (value.isNull()) {
      return RefValue.DELETED;
    }
    if (value.isTextual()) {
      return new RefValue.Direct(ObjectId.fromString(value.textValue()), Optional.empty());
    }
    JsonTuple tag = new JsonTuple("overlay", value, 2, 2);
    return new RefValue.Direct(
        ObjectId.fromString(tag.text(0)), Optional.of(ObjectId.fromString(tag.text(1))));
  }

  private List<PackEntry> packs() {
    List<PackEntry> packs = new ArrayList<>();
    Set<String> ids = new HashSet<>();
    for (JsonNode node : top.list("packs")) {
      PackEntry pack = pack(new JsonFields("packs", node));
      if (!ids.add(pack.id())) {
        throw new IllegalArgumentException("lists pack " + pack.id() + " twice");
      }
      packs.add(pack);
    }
    return packs;
  }

  private static PackEntry pack(JsonFields pack) {
    return new PackEntry(
        minted(pack.text("id")),
        pack.text("source"),
        map(pack.object("files"), ManifestReader::file),
        pack.number("time"),
        pack.number("objects"),
        pack.number("deltas"),
        pack.number("estimated"),
        Math.toIntExact(pack.number("index")),
        pack.others(PACK_FIELDS));
  }

  private static PackFileEntry file(JsonNode value) {
    JsonTuple file = new JsonTuple("files", value, 3, 4);
    return new PackFileEntry(
        file.number(0),
        Math.toIntExact(file.number(1)),
        crc(file.text(2)),
        file.size() > 3 ? file.number(3) : -1);
  }

  private static TransactionLog log(JsonFields log) {
    log.noOthers(Set.of("segments", "tail"));
    List<LogSegment> segments = new ArrayList<>();
    for (JsonNode node : log.list("segments")) {
      JsonTuple segment = new JsonTuple("segments", node, 5, 5);
      segments.add(
          new LogSegment(
              stored(segment.value(0)),
              segment.number(1),
              segment.number(2),
              segment.number(3),
              Math.toIntExact(segment.number(4))));
    }
    return new TransactionLog(
        segments, log.list("tail").stream().map(ManifestReader::logEntry).toList());
  }

  private static LogEntry logEntry(JsonNode value) {
    JsonTuple entry = new JsonTuple("tail", value, 7, 8);
    List<RefChange> changes = new ArrayList<>();
    for (JsonNode node : JsonFields.elements("tail", entry.value(6))) {
      changes.add(refChange(new JsonTuple("tail", node, 3, 4)));
    }
    return new LogEntry(
        entry.number(0),
        entry.signed(1),
        Math.toIntExact(entry.signed(2)),
        entry.text(3),
        entry.text(4),
        entry.text(5),
        changes,
        entry.size() > 7 ? Optional.of(stored(entry.value(7))) : Optional.empty());
  }

  private static RefChange refChange(JsonTuple tuple) {
    RefChange change =
        new RefChange(tuple.text(0), idOrZero(tuple.value(1)), idOrZero(tuple.value(2)));
    if (tuple.size() == 3) {
      return change;
    }
    JsonFields details = new JsonFields("tail", tuple.value(3));
    details.noOthers(Set.of("was", "is", "from"));
    RefChange linked =
        change.linked(
            details.value("was").map(JsonFields::asText),
            details.value("is").map(JsonFields::asText));
    return details.value("from").map(JsonFields::asText).map(linked::renamed).orElse(linked);
  }

  private static StoredObject stored(JsonNode value) {
    JsonTuple object = new JsonTuple("an object", value, 3, 3);
    return new StoredObject(minted(object.text(0)), object.number(1), crc(object.text(2)));
  }

  private static ObjectId idOrZero(JsonNode value) {
    return value.isNull() ? ObjectId.zeroId() : ObjectId.fromString(JsonFields.asText(value));
  }

  private static <V> SortedMap<String, V> map(
      Optional<JsonFields> fields, Function<JsonNode, V> value) {
    SortedMap<String, V> map = new TreeMap<>();
    if (fields.isPresent()) {
      for (Map.Entry<String, JsonNode> entry : fields.get().all()) {
        map.put(entry.getKey(), value.apply(entry.getValue()));
      }
    }
    return map;
  }

  private static String minted(String id) {
    ObjectNames.mintedAt(id);
    return id;
  }

  private static int crc(String digits) {
    return Integer.parseUnsignedInt(hex(digits, 8, "crc32c"), 16);
  }

  private static String hex(String digits, int length, String field) {
    if (digits.length() != length
        || !digits.chars().allMatch(c -> (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'))) {
      throw new IllegalArgumentException(field + " is not " + length + " hex digits: " + digits);
    }
    return digits;
  }
}
