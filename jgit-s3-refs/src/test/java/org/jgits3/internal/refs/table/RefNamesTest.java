// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.table;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import org.jgits3.testing.Holds;
import org.jgits3.testing.Seeds;
import org.junit.jupiter.api.Test;

@Holds(
    "RefNames: No ref has a name that packed-refs or a client's lock file cannot have, without a "
        + "UTF-8 form, of more than 4096 bytes, or in more than 100 directories")
class RefNamesTest {
  private static final String[] PARTS = {"a", "b-1", "é", "\uFFFD", "\uD83D\uDE00", "/", "0"};

  private static Optional<RefNames> ascending(List<String> names) {
    return RefNames.ascending(names.size(), names::get);
  }

  private static List<String> random(Random random) {
    TreeSet<String> names = new TreeSet<>(RefOrder.INSTANCE);
    for (int i = random.nextInt(40); i >= 0; i--) {
      StringBuilder name = new StringBuilder("refs/");
      for (int k = random.nextInt(30); k >= 0; k--) {
        name.append(PARTS[random.nextInt(PARTS.length)]);
      }
      names.add(name.toString());
    }
    return new ArrayList<>(names);
  }

  @Seeds(4)
  void names_are_what_their_strings_are(long seed) {
    Random random = new Random(seed);
    for (int round = 0; round < 200; round++) {
      List<String> names = random(random);
      List<String> others = random(random);
      RefNames held = ascending(names).orElseThrow();
      RefNames heldOthers = ascending(others).orElseThrow();

      assertThat(held.size()).isEqualTo(names.size());
      for (int i = 0; i < names.size(); i++) {
        String name = names.get(i);
        assertThat(held.get(i)).isEqualTo(name);
        assertThat(held.length(i)).isEqualTo(name.getBytes(UTF_8).length);
        assertThat(held.find(name.getBytes(UTF_8))).isEqualTo(i);
        assertThat(held.startsWith(i, name.substring(0, 5).getBytes(UTF_8))).isTrue();
        assertThat(held.startsWith(i, (name + "a").getBytes(UTF_8))).isFalse();
        for (int j = 0; j < others.size(); j++) {
          assertThat(Integer.signum(held.compare(i, heldOthers, j)))
              .isEqualTo(Integer.signum(RefOrder.INSTANCE.compare(name, others.get(j))));
        }
        if (i > 0) {
          byte[] common = new byte[held.common(i)];
          System.arraycopy(name.getBytes(UTF_8), 0, common, 0, common.length);
          assertThat(held.startsWith(i - 1, common)).isTrue();
        }
      }
    }
  }

  @Test
  void names_that_do_not_ascend_are_refused() {
    assertThat(ascending(List.of("refs/b", "refs/a"))).isEmpty();
    assertThat(ascending(List.of("refs/a", "refs/a"))).isEmpty();
    assertThat(ascending(List.of("refs/a", "refs/b", "refs/a1"))).isEmpty();
    assertThat(ascending(List.of("refs/\uFFFD", "refs/\uD83D\uDE00"))).isPresent();
    assertThat(ascending(List.of("refs/\uD83D\uDE00", "refs/\uFFFD"))).isEmpty();
  }

  @Test
  void a_character_that_packed_refs_cannot_hold_is_found_wherever_it_is() {
    String name = "refs/heads/a-name-of-some-length";
    assertThat(RefNames.storable(name)).isTrue();
    assertThat(RefNames.storable(name + "é\uD83D\uDE00\u0080")).isTrue();
    for (char c : new char[] {0, '\n', 0x1f, ' ', 0x7f, '\uD83D', '\uDE00'}) {
      for (int i = 0; i <= name.length(); i++) {
        String bad = name.substring(0, i) + c + name.substring(i);
        assertThat(RefNames.storable(bad)).as("%04x at %d", (int) c, i).isFalse();
        assertThat(ascending(List.of(bad, "\uFFFD")).orElseThrow().storable()).isFalse();
      }
    }
    for (char c = '!'; c < 0x7f; c++) {
      assertThat(RefNames.storable(name + c)).as("%c", c).isTrue();
    }
  }

  @Test
  void name_that_is_too_long_or_too_deep_is_not_storable() {
    String most = "refs/heads/" + ("a".repeat(200) + '/').repeat(20) + "a".repeat(65);
    String wide =
        "refs/heads/" + ("\u00e9".repeat(100) + '/').repeat(20) + "\u00e9".repeat(32) + 'a';
    for (String name : List.of(most, wide)) {
      assertThat(name.getBytes(UTF_8)).hasSize(4096);
      assertThat(RefNames.storable(name)).isTrue();
      assertThat(RefNames.storable(name + 'a')).isFalse();
      assertThat(RefNames.storable(name + '\u00e9')).isFalse();
      assertThat(ascending(List.of("refs/a", name + 'a')).orElseThrow().storable()).isFalse();
    }
    for (String part : List.of("a", "\u00e9")) {
      String deep = "refs" + ("/" + part).repeat(100);
      assertThat(RefNames.storable(deep)).isTrue();
      assertThat(RefNames.storable(deep + "/a")).isFalse();
    }
  }

  @Test
  void name_with_a_part_of_more_than_250_bytes_is_not_storable() {
    for (String part : List.of("a".repeat(250), "\u00e9".repeat(125))) {
      for (String end : List.of("", "/", "/a")) {
        String name = "refs/heads/" + part;
        assertThat(RefNames.storable(name + end)).isTrue();
        assertThat(RefNames.storable(name + 'a' + end)).isFalse();
        assertThat(ascending(List.of("refs/a", name + 'a' + end)).orElseThrow().storable())
            .isFalse();
      }
    }
  }

  @Test
  void directories_that_are_no_names_of_refs_are_not_looked_up() {
    AtomicInteger asked = new AtomicInteger();
    assertThat(RefNames.directory("a/".repeat(32_000), name -> asked.incrementAndGet() < 0))
        .isEmpty();
    assertThat(asked).hasValue(101);
    String most = "a".repeat(4096);
    assertThat(RefNames.directory(most + "/a", most::equals)).contains(most);
    String deepest = "refs" + "/a".repeat(100);
    assertThat(RefNames.directory(deepest + "/a/a", deepest::equals)).contains(deepest);
  }
}
