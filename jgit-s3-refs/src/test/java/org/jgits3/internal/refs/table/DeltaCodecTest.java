// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.table;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.internal.refs.table.DeltaCodec.Delta;
import org.jgits3.manifest.RefValue;
import org.jgits3.store.StoreException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DeltaCodecTest {
  private static final String BASE = "00000000002a-0123456789abcdef0123";
  private static final String KEY = "objects/r/refs/x.delta";
  private static final ObjectId A = ObjectId.fromString("a".repeat(40));
  private static final ObjectId B = ObjectId.fromString("b".repeat(40));

  @Test
  void what_was_encoded_is_decoded() throws Exception {
    Map<String, RefValue> changes =
        Map.of(
            "refs/heads/é", new RefValue.Direct(A, Optional.empty()),
            "refs/tags/v1", new RefValue.Direct(A, Optional.of(B)),
            "refs/heads/gone", RefValue.DELETED);

    Delta decoded =
        DeltaCodec.decode(KEY, DeltaCodec.encode(new Delta(BASE, RefDelta.of(changes))));

    assertThat(decoded.base()).isEqualTo(BASE);
    Map<String, RefValue> read = new HashMap<>();
    decoded.changes().forEach(read::put);
    assertThat(read).isEqualTo(changes);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "# something else\n",
        "# jgit-s3 refs delta of x",
        "# jgit-s3 refs delta of x\n- refs/b\n- refs/a\n",
        "# jgit-s3 refs delta of x\n-\n",
        "# jgit-s3 refs delta of x\n- refs/a",
        "# jgit-s3 refs delta of x\n1234 refs/a\n",
        "# jgit-s3 refs delta of x\naaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\u00e9 refs/a\n",
      })
  void what_is_no_delta_is_refused_by_its_key(String text) {
    assertThatThrownBy(() -> DeltaCodec.decode(KEY, text.getBytes(UTF_8)))
        .isInstanceOf(StoreException.Corrupt.class)
        .hasMessageContaining(KEY);
  }
}
