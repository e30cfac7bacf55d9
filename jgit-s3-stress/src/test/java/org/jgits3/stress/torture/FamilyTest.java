// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class FamilyTest {
  @Test
  void family_is_found_by_its_group_and_by_any_of_its_refs() {
    Family family = Family.now("id", new SplittableRandom(1));

    assertThat(Family.of(family.group())).isEqualTo(family);
    for (String name : Family.NAMES) {
      assertThat(Family.ofRef("id", family.ref(name))).hasValue(family);
    }
    assertThat(Family.ofRef("id", "refs/heads/main")).isEmpty();
  }

  @Test
  void repository_that_has_the_name_later_has_other_groups() {
    Family family = Family.now("id", new SplittableRandom(1));

    assertThat(new Family("later", family.name()).group()).isNotEqualTo(family.group());
  }
}
