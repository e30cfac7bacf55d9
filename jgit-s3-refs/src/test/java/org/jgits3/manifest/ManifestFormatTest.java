// SPDX-License-Identifier: Apache-2.0
package org.jgits3.manifest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.eclipse.jgit.lib.ObjectId;
import org.junit.jupiter.api.Test;

/**
 * Bytes of format 1. {@code manifests-format-1.txt} has one manifest a line, after a label, without
 * the spaces before the checksum; the checksum covers them.
 */
class ManifestFormatTest {
  private static final String ID = "a".repeat(32);
  private static final ObjectId ONE = ObjectId.fromString("1".repeat(40));
  private static final ObjectId TWO = ObjectId.fromString("2".repeat(40));
  private static final String ODD =
      "\u0000\u0001\b\t\n\f\r\u001f\"\\/<&'\u007f\u0080\u00e9\u2028\u4ed3\uffff\ud83d\ude80";

  @Test
  void every_manifest_has_the_bytes_that_are_on_record() throws IOException {
    List<String> lines = new ArrayList<>();
    for (Map.Entry<String, Manifest> entry : manifests().entrySet()) {
      String text = new String(ManifestCodec.encode(entry.getValue()), StandardCharsets.UTF_8);
      lines.add(
          entry.getKey() + " " + text.replaceFirst(" +(,\"crc32c\":\"[0-9a-f]{8}\"})$", "$1"));
    }
    assertThat(lines).containsExactlyElementsOf(recorded());
  }

  @Test
  void every_manifest_is_read_as_it_was_written() throws IOException {
    for (Map.Entry<String, Manifest> entry : manifests().entrySet()) {
      byte[] bytes = ManifestCodec.encode(entry.getValue());
      assertThat(ManifestCodec.decode(entry.getKey(), ID, bytes)).isEqualTo(entry.getValue());
    }
  }

  private static List<String> recorded() throws IOException {
    try (InputStream in = ManifestFormatTest.class.getResourceAsStream("manifests-format-1.txt")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
    }
  }

  private static Map<String, Manifest> manifests() throws IOException {
    Map<String, Manifest> all = new TreeMap<>();
    states(all);
    refs(all);
    packs(all);
    logs(all);
    all.put(
        "settings-texts",
        active().withSettings(new RepositorySettings(ODD, ODD + "\ud800x\udc00")));
    all.put("settings-description", active().withSettings(new RepositorySettings("", "d")));
    return all;
  }

  private static void states(Map<String, Manifest> all) {
    all.put("state-active", active());
    all.put("state-importing", blank(new RepositoryState.Importing(Long.MAX_VALUE)));
    all.put("state-deleted", blank(new RepositoryState.Deleted(Long.MAX_VALUE)));
    all.put("state-never-made", blank(new RepositoryState.Deleted(0)));
    all.put(
        "template",
        active().withTemplate(Optional.of(new Manifest.Template("0f".repeat(16), Long.MAX_VALUE))));
    all.put("template-importing", active().withTemplate(Optional.of(new Manifest.Template(ID, 0))));
  }

  private static void refs(Map<String, Manifest> all) {
    RefSnapshot snapshot = new RefSnapshot(minted(1), Long.MAX_VALUE, 0, 0, "ab".repeat(32));
    Refs none = Refs.NONE;
    all.put(
        "refs-snapshot",
        active().withRefs(new Refs(List.of(snapshot), none.overlay(), none.symrefs())));
    RefSnapshot recent = new RefSnapshot(minted(2), 1, 1, -1, "cd".repeat(32));
    all.put(
        "refs-recent",
        active().withRefs(new Refs(List.of(snapshot, recent), none.overlay(), none.symrefs())));
    Map<String, RefValue> overlay =
        Map.of(
            "refs/heads/" + ODD,
            new RefValue.Direct(ONE, Optional.empty()),
            "refs/heads/\uff5e",
            RefValue.DELETED,
            "refs/heads/\ud83d\ude80",
            new RefValue.Direct(ONE, Optional.of(TWO)),
            "HEAD",
            new RefValue.Direct(TWO, Optional.empty()));
    all.put(
        "refs-overlay",
        active().withRefs(new Refs(List.of(), new TreeMap<>(overlay), none.symrefs())));
    all.put(
        "refs-symbolic",
        active()
            .withRefs(
                new Refs(
                    List.of(),
                    none.overlay(),
                    new TreeMap<>(Map.of("HEAD", "refs/heads/" + ODD, "refs/b", "refs/c")))));
  }

  private static void packs(Map<String, Manifest> all) throws IOException {
    Map<String, PackFileEntry> files =
        Map.of(
            "pack",
            new PackFileEntry(Long.MAX_VALUE, Integer.MAX_VALUE, -1, -1),
            "idx",
            new PackFileEntry(0, 0, 0, Long.MAX_VALUE),
            "reftable",
            new PackFileEntry(1, 1, 0x0a0b0c0d, 0));
    long most = Long.MAX_VALUE;
    Map<String, JsonNode> extra =
        extra(
            """
            {"z":null,"a":[1,-2,[],{},""],"\u00e4":1.50,"B":12345678901234567890.00,"e":1E+400,
             "m":{"y":true,"x":{"deep":[[[false]]]}},"n":123456789012345678901234567890}
            """);
    all.put(
        "packs",
        active()
            .withPacks(
                List.of(
                    new PackEntry(minted(9), "GC", new TreeMap<>(files), most, most, most, extra),
                    new PackEntry(minted(3), ODD, new TreeMap<>(), 0, 0, 0, Map.of()))));
    Manifest m = active();
    all.put(
        "extra",
        new Manifest(
            new Manifest.Identity(
                ID, m.state(), m.epoch(), m.generation(), m.nonce(), Optional.empty()),
            new Manifest.Counters(new TreeMap<>(Map.of("n3", Long.MAX_VALUE, ODD, 0L)), 1, 2, 3),
            m.content(),
            extra));
  }

  private static void logs(Map<String, Manifest> all) {
    StoredObject object = new StoredObject(minted(4), Long.MAX_VALUE, -1);
    all.put(
        "log-segments",
        active()
            .withLog(
                new TransactionLog(
                    List.of(
                        new LogSegment(object, 1, 20, 20, 0),
                        new LogSegment(object, 21, 22, 2, Integer.MAX_VALUE)),
                    List.of())));
    RefChange change = new RefChange("refs/heads/a", ONE, TWO);
    RefChange made = new RefChange("refs/heads/b", ObjectId.zeroId(), ONE);
    RefChange gone = new RefChange(ODD, ONE, ObjectId.zeroId());
    List<RefChange> changes =
        List.of(
            change,
            made.renamed("refs/heads/" + ODD),
            gone,
            change.linked(Optional.of("refs/x"), Optional.of("refs/y")),
            made.linked(Optional.empty(), Optional.of("refs/y")),
            gone.linked(Optional.of("refs/x"), Optional.empty()),
            made.linked(Optional.of("w"), Optional.of("i")).renamed("f"));
    all.put(
        "log-tail",
        active()
            .withLog(
                new TransactionLog(
                    List.of(),
                    List.of(
                        entry(1, Long.MIN_VALUE, Integer.MIN_VALUE, changes, Optional.empty()),
                        entry(2, Long.MAX_VALUE, 0, List.of(change), Optional.of(object)),
                        entry(3, 0, Integer.MAX_VALUE, List.of(), Optional.empty())))));
  }

  private static LogEntry entry(
      long generation,
      long time,
      int zone,
      List<RefChange> changes,
      Optional<StoredObject> external) {
    return new LogEntry(generation, time, zone, ODD, "", "m " + ODD, changes, external);
  }

  private static Map<String, JsonNode> extra(String json) throws IOException {
    JsonMapper exact =
        JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .build();
    Map<String, JsonNode> extra = new TreeMap<>();
    exact.readTree(json).properties().forEach(e -> extra.put(e.getKey(), e.getValue()));
    return extra;
  }

  private static Manifest active() {
    return blank(new RepositoryState.Active(RepositoryName.of("gr\u00fc/n")));
  }

  /** A manifest whose nonce is always the same. */
  private static Manifest blank(RepositoryState state) {
    long newest = Long.MAX_VALUE;
    return new Manifest(
        new Manifest.Identity(
            ID, state, newest, newest, "fedcba9876543210".repeat(2), Optional.empty()),
        new Manifest.Counters(new TreeMap<>(), newest, 0, 0),
        new Manifest.Content(RepositorySettings.NONE, Refs.NONE, List.of(), TransactionLog.EMPTY),
        Map.of());
  }

  private static String minted(int number) {
    return "%012x-%020x".formatted(5, number);
  }
}
