// SPDX-License-Identifier: Apache-2.0
package org.jgits3.damage;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ManifestCodec;
import org.jgits3.manifest.ManifestException;
import org.jgits3.store.Crc32c;
import org.jgits3.testing.RandomSeed;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Manifests that nothing wrote, with the right checksum: the parser behind it is on its own. */
class ForgedManifestTest {
  private static final int TRAILER = ",\"crc32c\":\"01234567\"}".length();
  private static final byte[] TOKENS =
      "0123456789abcdef{}[],:\"-.eE\\u nulltruefalse\u0000".getBytes(US_ASCII);

  private static byte[] manifest;

  @BeforeAll
  static void write() throws Exception {
    StoredSample sample = new StoredSample();
    manifest = sample.bytes(sample.manifestKey(StoredSample.NAME));
  }

  @Test
  void forged_bytes_are_a_manifest_or_an_error_that_names_it() {
    RandomSeed.forEach(
        RandomSeed.count(1000, 20_000),
        seed -> {
          byte[] forged = sealed(forge(manifest, new Random(seed)));
          try {
            Manifest read = ManifestCodec.decode("manifest s3://bucket/key", forged);
            assertThat(ManifestCodec.encode(read, Integer.MAX_VALUE)).isNotEmpty();
          } catch (ManifestException e) {
            assertThat(e).hasMessageStartingWith("manifest s3://bucket/key: ");
          } catch (IOException e) {
            assertThat(e).as("text that is no Unicode").hasMessageContaining("surrogate");
          }
        });
  }

  /** Changes some bytes, deletes, repeats or moves some. */
  private static byte[] forge(byte[] bytes, Random random) {
    byte[] content = Arrays.copyOf(bytes, bytes.length - TRAILER);
    for (int changes = 1 + random.nextInt(4); changes > 0; changes--) {
      int from = random.nextInt(content.length);
      int to = Math.min(content.length, from + 1 + random.nextInt(40));
      int at = random.nextInt(content.length);
      content =
          switch (random.nextInt(4)) {
            case 0 -> replaced(content, from, random);
            case 1 -> joined(content, from, content, to, content.length);
            case 2 ->
                joined(
                    joined(content, at, content, from, to),
                    at + to - from,
                    content,
                    at,
                    content.length);
            default -> Arrays.copyOf(content, Math.max(2, content.length - random.nextInt(100)));
          };
    }
    return content;
  }

  private static byte[] replaced(byte[] bytes, int at, Random random) {
    byte[] changed = bytes.clone();
    changed[at] = TOKENS[random.nextInt(TOKENS.length)];
    return changed;
  }

  private static byte[] joined(byte[] head, int length, byte[] tail, int from, int to) {
    byte[] joined = Arrays.copyOf(head, length + to - from);
    System.arraycopy(tail, from, joined, length, to - from);
    return joined;
  }

  private static byte[] sealed(byte[] content) {
    String crc = HexFormat.of().toHexDigits(Crc32c.of(content));
    byte[] trailer = (",\"crc32c\":\"" + crc + "\"}").getBytes(US_ASCII);
    return joined(content, content.length, trailer, 0, trailer.length);
  }
}
