// SPDX-License-Identifier: Apache-2.0
package org.jgits3.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectIdRef;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.lib.SymbolicRef;
import org.jgits3.testing.Holds;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Holds("SourceRefs: A name from a store or peer that is no valid ref never becomes a file")
class SourceRefsTest {
  private static final ObjectId ID =
      ObjectId.fromString("0123456789abcdef0123456789abcdef01234567");

  private static Ref ref(String name) {
    return new ObjectIdRef.Unpeeled(Ref.Storage.PACKED, name, ID);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "refs/../../outside",
        "refs/heads/..",
        "refs//x",
        "refs/heads/a\nb",
        "refs/x.lock"
      })
  void name_that_would_be_another_file_is_refused(String name) {
    assertThatThrownBy(() -> SourceRefs.of(List.of(ref(name))))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("not a valid name");
    assertThatThrownBy(() -> SourceRefs.of(List.of(new SymbolicRef(name, ref("refs/heads/main")))))
        .isInstanceOf(IOException.class);
    assertThatThrownBy(() -> SourceRefs.of(List.of(new SymbolicRef("HEAD", ref(name)))))
        .isInstanceOf(IOException.class);
  }

  @Test
  void name_that_no_repository_may_have_is_refused() {
    String deep = "refs/heads/" + "a/".repeat(5000) + "a";
    String wide = "refs/heads/" + "a".repeat(251);
    for (Ref ref :
        List.of(
            ref(deep),
            ref(wide),
            new SymbolicRef(wide, ref("refs/heads/main")),
            new SymbolicRef("HEAD", ref(wide)))) {
      assertThatThrownBy(() -> SourceRefs.of(List.of(ref)))
          .isInstanceOf(IOException.class)
          .hasMessageContaining(
              "4096 bytes, 250 bytes between two slashes or 100 directories, or no UTF-8 form");
    }
  }

  @Test
  void only_head_and_what_is_under_refs_is_taken() throws IOException {
    SourceRefs refs =
        SourceRefs.of(
            List.of(
                ref("FETCH_HEAD"),
                new SymbolicRef("HEAD", ref("refs/heads/main")),
                ref("refs/heads/main"),
                ref("refs/changes/01/1/1")));
    assertThat(refs.names()).containsOnly("HEAD", "refs/heads/main", "refs/changes/01/1/1");
    assertThat(refs.symbolic()).containsOnly(Map.entry("HEAD", "refs/heads/main"));
    assertThat(refs.count()).isEqualTo(2);
  }

  @Test
  void source_that_does_not_tell_its_head_may_have_any() throws IOException {
    SourceRefs source = SourceRefs.of(List.of(ref("refs/heads/main")));
    SourceRefs target =
        SourceRefs.of(
            List.of(ref("refs/heads/main"), new SymbolicRef("HEAD", ref("refs/heads/main"))));
    assertThat(target.areThoseOf(source)).isTrue();
    assertThat(source.areThoseOf(target)).isFalse();
  }
}
