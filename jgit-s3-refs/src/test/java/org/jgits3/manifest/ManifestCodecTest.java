// SPDX-License-Identifier: Apache-2.0
package org.jgits3.manifest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.internal.commit.ManifestFixture;
import org.jgits3.testing.Holds;
import org.jgits3.testing.RandomSeed;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@Holds(
    "ManifestCodec, CommitLoop: Whatever the bytes of a stored object, at rest or in transit, "
        + "each answer is right or an error with the key. They are not overwritten, and putting the "
        + "right ones back repairs it.")
@Holds("ManifestCodec: A newer format is refused, and unknown fields survive")
@Holds(
    "ManifestCodec: A manifest has at most 256 KiB, and the refs that cannot leave it are bounded")
@Holds("ManifestCodec: A listing tells repositories from tombstones by size")
class ManifestCodecTest {
  private static final String ID = "0123456789abcdef".repeat(2);
  private static final String WHERE = "r, memory:/repos/" + ID + "/manifest";
  private static final RepositoryState ACTIVE =
      new RepositoryState.Active(RepositoryName.of("gr\u00FC/n"));
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final ObjectId ONE = ObjectId.fromString("1".repeat(40));

  private static byte[] golden() throws IOException {
    try (InputStream in = ManifestCodecTest.class.getResourceAsStream("manifest-format-1.json")) {
      return in.readAllBytes();
    }
  }

  @Test
  void tombstones_are_smaller_than_repositories() throws IOException {
    SortedMap<String, Long> writers = new TreeMap<>();
    for (int i = 0; i < 8; i++) {
      writers.put(String.format("%016x", i), Long.MAX_VALUE - i);
    }
    Manifest tombstone =
        full()
            .withTemplate(Optional.of(new Manifest.Template(ID, 5)))
            .deleted(Long.MAX_VALUE)
            .committed(
                Long.MAX_VALUE, new RepositoryState.Deleted(Long.MAX_VALUE), writers, 1 << 30);
    assertThat(ManifestCodec.encode(tombstone).length).isLessThan(1000);
    for (RepositoryState state : List.of(ACTIVE, new RepositoryState.Importing(7))) {
      assertThat(ManifestCodec.encode(blank(state)).length)
          .isEqualTo(ManifestCodec.MIN_REPOSITORY_BYTES);
    }
  }

  @Test
  void tombstone_keeps_no_content_and_begins_an_epoch() throws IOException {
    Manifest tombstone = full().deleted(7);
    assertThat(tombstone.epoch()).isEqualTo(full().epoch() + 1);
    assertThat(tombstone.content()).isEqualTo(blank(ACTIVE).content());
    assertThat(tombstone.counters()).isEqualTo(full().counters());
    assertThat(tombstone.extra()).as("fields of a later version, however large").isEmpty();
  }

  @Test
  void manifest_of_another_repository_is_corrupt_and_both_are_named() throws IOException {
    byte[] bytes = ManifestCodec.encode(full());
    assertThat(ManifestCodec.decode(WHERE, ID, bytes)).isEqualTo(full());
    assertThatThrownBy(() -> ManifestCodec.decode(WHERE, "ab".repeat(16), bytes))
        .isInstanceOf(ManifestException.Corrupt.class)
        .hasMessage(
            WHERE
                + ": is the manifest of repository "
                + ID
                + ": it was copied, moved or restored to another key; put back what was here, see"
                + " Restore in operations; it is left as it is");
  }

  @Test
  void truncated_manifest_is_corrupt_wherever_it_ends() throws IOException {
    byte[] bytes = ManifestCodec.encode(full());
    for (int length = 0; length < bytes.length; length++) {
      byte[] cut = Arrays.copyOf(bytes, length);
      assertThatThrownBy(() -> ManifestCodec.decode(WHERE, cut))
          .as("cut to %d bytes", length)
          .isInstanceOf(ManifestException.Corrupt.class)
          .hasMessageContaining(WHERE);
    }
  }

  @Test
  void flipped_bits_are_corrupt_wherever_they_are() throws IOException {
    byte[] bytes = ManifestCodec.encode(full());
    int seed = RandomSeed.first();
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < bytes.length; i++) {
      byte[] flipped = bytes.clone();
      flipped[i] ^= (byte) (1 << random.nextInt(8));
      assertThatThrownBy(() -> ManifestCodec.decode(WHERE, flipped))
          .as("-Dtest.seed=%d, byte %d", seed, i)
          .isInstanceOf(ManifestException.Corrupt.class)
          .hasMessageContaining(WHERE);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "garbage", "[]", "null", "{}", "{\"format\":1}", "<html></html>"})
  void what_is_no_manifest_is_corrupt(String text) {
    assertThatThrownBy(() -> ManifestCodec.decode(WHERE, text.getBytes(UTF_8)))
        .isInstanceOf(ManifestException.Corrupt.class)
        .hasMessageContaining(WHERE);
  }

  /**
   * What is wrong, what the error names, and edits that make it wrong: values as JSON, none if the
   * field is removed, or after a pointer to what is copied.
   */
  private static final String VIOLATIONS =
      """
      no epoch | epoch | /epoch=
      negative epoch | epoch | /epoch=-1
      active without a name | is active and lacks the field name | /name=
      name that is none | '../x' has a segment | /name="../x"
      name of two lines | control character | /name="a\\nb"
      name with a suffix | .git or .lock | /name="a.git"
      import of no time | is importing and lacks the field since | /state="importing"
      deleted before all times | since | /state="deleted" /since=-1
      generation 0 | generation 0 | /generation=0
      negative generation | generation | /generation=-4
      generation as text | generation: 7 where a number | /generation="7"
      generation that is no integer | generation: 7.0 where | /generation=7.0
      generation beyond 64 bits | generation: 1.0E30 where | /generation=1e30
      generation just beyond | generation | /generation=9223372036854775808
      no generation | generation | /generation=
      generation null | generation | /generation=null
      no repository id | repositoryId | /repositoryId=
      bad repository id | repositoryId | /repositoryId="../../etc"
      upper case repository id | repositoryId | /repositoryId="AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
      no nonce | nonce | /nonce=
      nonce as number | nonce: 7 where a text | /nonce=7
      nonce null | nonce | /nonce=null
      unknown state | state asleep | /state="asleep"
      boundary in the future | boundary | /boundary=1000
      prunedTo in the future | prunedTo | /prunedTo=1000
      dropped in the future | dropped | /dropped=1000
      format 0 | format 0 | /format=0
      template in the future | template is 1000 | /template=["abababababababababababababababab",1000]
      template of no repository | template | /template=["../x",7]
      no format | format | /format=
      writers as list | writers | /writers=[]
      writer without generation | writers.n | /writers={"n":null}
      writer of negative generation | writers.n | /writers={"n":-1}
      settings without config | settings.config | /settings/config=
      unknown setting | settings.more | /settings/more=1
      refs as list | refs | /refs=[]
      table older than the one below | which is newer | /refs/tables/1/id="000000000000-00000000000000000000"
      table listed twice | lists a table twice | /refs/tables/-=@/refs/tables/1
      null among tables | refs.tables | /refs/tables/-=null
      unknown field of refs | refs.more | /refs/more=1
      snapshot id | refs.tables[0].id | /refs/tables/0/id="../x"
      no snapshot size | refs.tables[0].size | /refs/tables/0/size=
      sha256 | refs.tables[0].sha256 | /refs/tables/0/sha256="12"
      crc32c | refs.tables[0].crc32c | /refs/tables/0/crc32c="xyz"
      unknown field of it | refs.tables[0].more | /refs/tables/0/more=1
      object id | refs.overlay.refs/heads/x | /refs/overlay/refs~1heads~1x="12"
      tag without object | refs.overlay.refs/tags/gr | /refs/overlay/refs~1tags~1gr\u00F6\u00DFe/1=
      tag of a number | refs.overlay.refs/tags/gr | /refs/overlay/refs~1tags~1gr\u00F6\u00DFe/1=7
      ref as number | refs.overlay.refs/heads/x | /refs/overlay/refs~1heads~1x=1
      link to null | refs.symrefs.HEAD | /refs/symrefs/HEAD=null
      packs as object | packs | /packs={}
      pack null | packs[1] | /packs/-=null
      pack id | packs[0].id | /packs/0/id="../x"
      no pack id | packs[0].id | /packs/0/id=
      no source | packs[0].source | /packs/0/source=
      negative count | packs[0].objects | /packs/0/objects=-1
      files as list | packs[0].files | /packs/0/files=[]
      negative size | packs[0].files.idx | /packs/0/files/idx/0=-1
      range beyond 32 bits | packs[0].files | /packs/0/files/idx/1=2147483648
      negative offset | packs[0].files.idx | /packs/0/files/idx/3=-1
      short tuple | packs[0].files.pack | /packs/0/files/pack/0=
      long tuple | packs[0].files.idx | /packs/0/files/idx/-=5
      pack twice | 000000000005-00000000000000000003 | /packs/-=@/packs/0
      log as list | log | /log=[]
      unknown field of the log | log.more | /log/more=1
      short segment | log.segments[0] | /log/segments/0/4=
      segment of null | log.segments[0] | /log/segments/0/0=null
      negative segment | log.segments[0] | /log/segments/0/1=-2
      short entry | log.tail[0] | /log/tail/0/6=
      long entry | log.tail[1] | /log/tail/1/-=1
      time as text | log.tail[0] | /log/tail/0/1="1"
      zone beyond 32 bits | log.tail[0] | /log/tail/0/2=2147483648
      changes as text | log.tail[0] | /log/tail/0/6="none"
      short change | log.tail[0] | /log/tail/0/6/0=["x"]
      change from a number | log.tail[0][0] | /log/tail/0/6/0/1=1
      unknown detail | log.tail[0][0].more | /log/tail/0/6/0/3/more=1
      long tag | refs.overlay.refs/tags/gr | /refs/overlay/refs~1tags~1gr\u00F6\u00DFe/-="2222222222222222222222222222222222222222"
      long segment | log.segments[0] | /log/segments/0/-=1
      long change | log.tail[0][0] | /log/tail/0/6/0/-=1
      """;

  static Stream<String[]> violations() {
    return VIOLATIONS.lines().map(line -> line.split(" \\| ", -1));
  }

  @ParameterizedTest
  @MethodSource("violations")
  void manifest_against_the_rules_is_corrupt(String what, String named, String edits)
      throws IOException {
    byte[] bytes = edited(m -> Stream.of(edits.split(" ", -1)).forEach(edit -> edit(m, edit)));
    assertThatThrownBy(() -> ManifestCodec.decode(WHERE, bytes))
        .as(what)
        .isInstanceOf(ManifestException.Corrupt.class)
        .hasMessageStartingWith(WHERE + ": ")
        .hasMessageContaining(named)
        .hasMessageEndingWith("; it is left as it is");
  }

  private static void edit(ObjectNode m, String edit) {
    String[] sides = edit.split("=", 2);
    JsonPointer pointer = JsonPointer.compile(sides[0]);
    String field = pointer.last().getMatchingProperty();
    if (m.at(pointer.head()) instanceof ArrayNode array) {
      int index = field.equals("-") ? array.size() : Integer.parseInt(field);
      if (index < array.size()) {
        array.remove(index);
      }
      if (!sides[1].isEmpty()) {
        array.insert(index, value(m, sides[1]));
      }
    } else if (sides[1].isEmpty()) {
      object(m, pointer.head().toString()).remove(field);
    } else {
      object(m, pointer.head().toString()).set(field, value(m, sides[1]));
    }
  }

  private static JsonNode value(ObjectNode m, String text) {
    try {
      return text.startsWith("@") ? m.at(text.substring(1)).deepCopy() : MAPPER.readTree(text);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(text, e);
    }
  }

  @ParameterizedTest
  @MethodSource("hostile")
  void hostile_text_is_corrupt(String what, String named, String replaced, String by)
      throws IOException {
    String text = new String(ManifestCodec.encode(full()), UTF_8);
    String unchecked = text.substring(0, text.lastIndexOf(','));
    byte[] bytes =
        ManifestFixture.checked(
            replaced.isEmpty() ? unchecked + by : unchecked.replace(replaced, by));
    assertThatThrownBy(() -> ManifestCodec.decode(WHERE, bytes))
        .as(what)
        .isInstanceOf(ManifestException.Corrupt.class)
        .hasMessageStartingWith(WHERE + ": ")
        .hasMessageContaining(named);
  }

  private static final String DEEP = "[".repeat(1000) + "]".repeat(1000);

  /** What each adds at the end, or puts in the place of a text. */
  static Object[][] hostile() {
    String number = "\"generation\":42";
    return new Object[][] {
      {"field twice", "Duplicate field 'generation'", "", "," + number},
      {"unknown field twice", "Duplicate field 'later'", "", ",\"later\":1"},
      {"writer twice", "Duplicate field 'n'", "\"n\":9", "\"n\":9,\"n\":9"},
      {"ref twice", "Duplicate field 'HEAD'", "\"HEAD\":", "\"HEAD\":\"x\",\"HEAD\":"},
      {"deep value", "depth", "", ",\"x\":" + DEEP},
      {"deep value of a pack", "depth", "\"deltas\":8", "\"deltas\":8,\"x\":" + DEEP},
      {"long number", "length", "", ",\"x\":" + "1".repeat(1001)},
      {"long generation", "length", number, "\"generation\":" + "1".repeat(1001)},
      {"long name", "length", "", ",\"" + "x".repeat(50_001) + "\":1"},
      {"number with zeros before it", "Leading zeroes", number, "\"generation\":042"},
      {"not a number", "NaN", number, "\"generation\":NaN"},
      {"comment", "comment", number, "\"generation\":/**/42"},
    };
  }

  @Test
  void text_after_the_end_is_corrupt() throws IOException {
    String whole = new String(ManifestCodec.encode(full()), UTF_8);
    byte[] bytes = ManifestFixture.checked(whole + " {\"format\":1");
    assertThatThrownBy(() -> ManifestCodec.decode(WHERE, bytes))
        .isInstanceOf(ManifestException.Corrupt.class)
        .hasMessageContaining("Trailing token");
  }

  @Test
  void fields_are_read_in_any_order_and_optional_ones_may_lack() throws IOException {
    String text =
        " { \"x\" : 1e2 , \"nonce\" : \"\\u0041\", \"dropped\":0, \"boundary\":0,\n\"prunedTo\":0,"
            + "\"generation\":3,\"epoch\":0,\"name\":\"r\",\"state\":\"active\",\"refs\":{},\"log\":{},\"packs\":[{"
            + "\"deltas\":0,\"objects\":0,\"time\":0,\"source\":\"GC\",\"id\":\""
            + minted(1)
            + "\"}],\"writers\":{},\"repositoryId\":\""
            + "a".repeat(32)
            + "\",\"format\":1";
    Manifest manifest = ManifestCodec.decode(WHERE, ManifestFixture.checked(text));
    assertThat(manifest.nonce()).isEqualTo("A");
    assertThat(manifest.refs()).isEqualTo(Refs.NONE);
    assertThat(manifest.log()).isEqualTo(TransactionLog.EMPTY);
    assertThat(manifest.settings()).isEqualTo(RepositorySettings.NONE);
    assertThat(manifest.packs().get(0).files()).isEmpty();
    assertThat(manifest.extra()).containsOnlyKeys("x");
  }

  @Test
  void null_stands_for_what_may_be_absent() throws IOException {
    byte[] bytes =
        edited(
            m -> {
              m.putNull("settings").putNull("log").putNull("since");
              pack(m).putNull("files");
              object(m, "/refs").putNull("symrefs");
            });
    Manifest manifest = ManifestCodec.decode(WHERE, bytes);
    assertThat(manifest.settings()).isEqualTo(RepositorySettings.NONE);
    assertThat(manifest.log()).isEqualTo(TransactionLog.EMPTY);
    assertThat(ManifestCodec.decode(WHERE, ManifestCodec.encode(manifest))).isEqualTo(manifest);
  }

  @Test
  void forks_name_their_template() throws IOException {
    Manifest.Template template = new Manifest.Template("ab".repeat(16), 5);
    Manifest fork = full().withTemplate(Optional.of(template));
    assertThat(ManifestCodec.decode(WHERE, ManifestCodec.encode(fork))).isEqualTo(fork);
    assertThat(fork.isFork()).isTrue();
    assertThat(fork.isTemplate()).isFalse();
    assertThat(fork.owner(minted(2))).isEqualTo(template.repositoryId());
    assertThat(fork.owner("000000000006" + "-" + "0".repeat(20))).isEqualTo(fork.repositoryId());
    assertThat(fork.ownPacks()).isEmpty();
  }

  @Test
  void template_that_an_import_makes_may_have_forks_and_is_none_yet() throws IOException {
    Manifest making = full().withTemplate(Optional.of(new Manifest.Template(ID, 0)));
    assertThat(making.mayHaveForks()).isTrue();
    assertThat(making.isTemplate()).isFalse();
    assertThat(making.ownPacks()).isEqualTo(full().packs());
  }

  @Test
  void newer_format_is_unsupported_and_named() throws IOException {
    byte[] checked =
        edited(json -> object(json.put("format", 2), "/refs").putObject("lanes").put("id", 1));
    assertThatThrownBy(() -> ManifestCodec.decode(WHERE, checked))
        .isInstanceOf(ManifestException.Unsupported.class)
        .hasMessageContaining(WHERE)
        .hasMessageEndingWith("has format 2, this version knows 1; use a newer version");
    byte[] bare = "{\"format\":6}".getBytes(UTF_8);
    assertThatThrownBy(() -> ManifestCodec.decode(WHERE, bare))
        .isInstanceOf(ManifestException.Unsupported.class)
        .hasMessageContaining("format 6");
  }

  @Test
  void unknown_fields_survive_a_rewrite() throws IOException {
    byte[] bytes =
        edited(
            json -> {
              json.putObject("future").put("precise", new BigDecimal("12345678901234567890.5"));
              pack(json).putArray("lanes").add(1).addNull();
            });
    Manifest decoded = ManifestCodec.decode(WHERE, bytes);
    Manifest again = ManifestCodec.decode(WHERE, ManifestCodec.encode(decoded.withRefs(Refs.NONE)));
    assertThat(again.extra().get("future").get("precise").decimalValue())
        .isEqualTo(new BigDecimal("12345678901234567890.5"));
    assertThat(again.packs().get(0).extra().get("lanes")).hasSize(2);
  }

  @Test
  void manifest_of_256_KiB_is_read_as_written_and_a_larger_one_is_refused() throws IOException {
    int others = ManifestCodec.encode(configured(10_000)).length - 10_000;
    Manifest largest = configured(Manifest.MAX_BYTES - others);
    byte[] bytes = ManifestCodec.encode(largest);
    assertThat(bytes).hasSize(Manifest.MAX_BYTES);
    assertThat(ManifestCodec.decode(WHERE, bytes)).isEqualTo(largest);
    assertThatThrownBy(() -> ManifestCodec.encode(configured(Manifest.MAX_BYTES - others + 3)))
        .isInstanceOfSatisfying(
            ManifestException.TooLarge.class, e -> assertThat(e.excess()).isEqualTo(3))
        .hasMessageEndingWith("are allowed; fold refs or log, then retry");
    assertThatThrownBy(() -> ManifestCodec.decode(WHERE, new byte[Manifest.MAX_BYTES + 1]))
        .isInstanceOf(ManifestException.Corrupt.class)
        .hasMessageContaining("more than any manifest");
  }

  private static Manifest configured(int characters) throws IOException {
    return full().withSettings(new RepositorySettings("x".repeat(characters), ""));
  }

  @Test
  void thousand_changed_refs_take_80_kB() throws IOException {
    SortedMap<String, RefValue> overlay = new TreeMap<>();
    for (int i = 0; i < 1000; i++) {
      overlay.put("refs/changes/%02d/%d/meta".formatted(i % 100, 10_000 + i), direct(ONE));
    }
    Refs refs = new Refs(List.of(), overlay, new TreeMap<>());
    byte[] bytes = ManifestCodec.encode(blank(ACTIVE).withRefs(refs));
    assertThat(bytes.length).isLessThan(80_000);
  }

  @Test
  void hundred_and_twenty_six_packs_take_32_kB() throws IOException {
    List<PackEntry> packs = new ArrayList<>();
    for (int i = 0; i < 126; i++) {
      SortedMap<String, PackFileEntry> files = new TreeMap<>();
      files.put("pack", new PackFileEntry(12_345, 0, 0x12345678, 0));
      files.put("idx", new PackFileEntry(1_234, 0, 0x12345678, 12_345));
      files.put("rev", new PackFileEntry(123, 0, 0x12345678, 13_579));
      packs.add(new PackEntry(minted(i), "RECEIVE", files, 1_800_000_000_000L, 12, 3, Map.of()));
    }
    byte[] bytes = ManifestCodec.encode(blank(ACTIVE).withPacks(packs));
    assertThat(bytes.length).isLessThan(32_000);
  }

  private static ObjectNode pack(ObjectNode json) {
    return object(json, "/packs/0");
  }

  private static ObjectNode object(ObjectNode json, String path) {
    return (ObjectNode) json.at(path);
  }

  private static byte[] edited(Consumer<ObjectNode> edit) throws IOException {
    ObjectNode json = (ObjectNode) MAPPER.readTree(ManifestCodec.encode(full()));
    edit.accept(json);
    return ManifestFixture.bytes(json);
  }

  private static Manifest blank(RepositoryState state) {
    return Manifest.first(ID, state, Long.MAX_VALUE, RepositorySettings.NONE, Refs.NONE);
  }

  private static RefValue direct(ObjectId id) {
    return new RefValue.Direct(id, Optional.empty());
  }

  private static String minted(int number) {
    return "%012x-%020x".formatted(5, number);
  }

  /** A manifest with every field set. */
  private static Manifest full() throws IOException {
    return ManifestCodec.decode(WHERE, golden());
  }
}
