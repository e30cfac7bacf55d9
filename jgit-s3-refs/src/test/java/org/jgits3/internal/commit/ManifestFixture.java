// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.commit;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.zip.CRC32C;
import org.jgits3.manifest.PackEntry;
import org.jgits3.manifest.PackFileEntry;
import org.jgits3.manifest.Refs;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.manifest.RepositorySettings;

/** Manifests and changes for tests. */
public final class ManifestFixture {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  /** Refs of an empty repository. */
  public static final Refs HEAD =
      new Refs(
          List.of(),
          Collections.emptySortedMap(),
          new TreeMap<>(Map.of("HEAD", "refs/heads/main")));

  private ManifestFixture() {}

  /** A change that succeeds on any manifest. */
  public static ManifestChange<String> describing(String description) {
    return base ->
        Proposal.edit(
            base.withSettings(new RepositorySettings(base.settings().config(), description)),
            description);
  }

  /** Entry of a pack. */
  public static PackEntry pack(String id) {
    SortedMap<String, PackFileEntry> files = new TreeMap<>();
    files.put("pack", new PackFileEntry(32, 0, 7, -1));
    return new PackEntry(id, "INSERT", files, 0, 1, 0, Map.of());
  }

  /** Edits a stored manifest directly, with a right checksum. */
  public static void rewrite(ScriptedStore store, RepositoryName name, Consumer<ObjectNode> edit)
      throws IOException {
    String key = StoredManifest.key(store, name.value());
    ObjectNode json = (ObjectNode) MAPPER.readTree(store.bytes(key));
    edit.accept(json);
    store.overwrite(key, bytes(json));
  }

  /** Stored form of a manifest given as JSON. */
  public static byte[] bytes(ObjectNode json) throws IOException {
    json.remove("crc32c");
    String text = MAPPER.writeValueAsString(json);
    return checked(text.substring(0, text.length() - 1));
  }

  /** Stored form of a manifest that lacks only the checksum and the brace after it. */
  public static byte[] checked(String content) {
    CRC32C crc = new CRC32C();
    crc.update(content.getBytes(StandardCharsets.UTF_8));
    String trailer = ",\"crc32c\":\"" + HexFormat.of().toHexDigits((int) crc.getValue()) + "\"}";
    return (content + trailer).getBytes(StandardCharsets.UTF_8);
  }
}
