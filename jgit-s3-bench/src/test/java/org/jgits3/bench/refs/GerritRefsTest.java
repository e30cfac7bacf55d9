// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.refs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.eclipse.jgit.lib.Ref;
import org.junit.jupiter.api.Test;

class GerritRefsTest {
  private static List<String> names(int count) {
    return new GerritRefs(count).all().stream().map(Ref::getName).toList();
  }

  @Test
  void changes_have_notes_and_up_to_three_patch_sets() {
    assertThat(names(12))
        .containsExactly(
            "refs/changes/00/1000000/1",
            "refs/changes/00/1000000/2",
            "refs/changes/00/1000000/meta",
            "refs/changes/01/1000001/1",
            "refs/changes/01/1000001/2",
            "refs/changes/01/1000001/3",
            "refs/changes/01/1000001/meta",
            "refs/changes/02/1000002/1",
            "refs/changes/02/1000002/meta",
            "refs/changes/03/1000003/meta",
            "refs/heads/stable-000000",
            "refs/tags/v1.0.0");
  }

  @Test
  void there_are_as_many_as_were_asked_for_and_each_once() {
    assertThat(names(1234)).hasSize(1234).doesNotHaveDuplicates().isSorted();
  }

  @Test
  void samples_are_among_them() {
    GerritRefs refs = new GerritRefs(1000);
    List<String> sample = refs.sample().stream().map(Ref::getName).toList();

    assertThat(names(1000)).containsAll(sample).doesNotContainAnyElementsOf(refs.absent());
    assertThat(sample).isEqualTo(refs.sample().stream().map(Ref::getName).toList());
  }
}
