// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the names of stores, and of the messages about wrong ones. */
class StoreLocationTest {
  @ParameterizedTest
  @CsvSource({"file:./data, ./data", "file:/srv/git, /srv/git", "file:///srv/a b%20, /srv/a b%20"})
  void a_directory_is_taken_literally(String url, String path) {
    assertThat(StoreLocation.parse(url)).isEqualTo(new StoreLocation.Directory(Path.of(path)));
  }

  @ParameterizedTest
  @CsvSource({
    "s3://bucket, ''",
    "s3://bucket/, ''",
    "s3://bucket/a/b=1, a/b=1",
    "s3://bucket/a/, a"
  })
  void a_bucket_may_have_a_prefix_and_a_slash_at_its_end(String url, String prefix) {
    assertThat(StoreLocation.parse(url)).isEqualTo(new StoreLocation.Bucket("bucket", prefix));
  }

  @Test
  void url_of_another_scheme_is_kept_for_its_provider() {
    assertThat(StoreLocation.parse("memory:a/b?c"))
        .isEqualTo(new StoreLocation.Provided("memory", "memory:a/b?c"));
  }

  @Test
  void message_shows_no_user_and_no_query_of_a_url() {
    assertThat(StoreLocation.parse("azure://key:SEC/RET@account/a?sig=TOKEN"))
        .hasToString("azure://account/a");
    assertThatThrownBy(() -> StoreLocation.parse("Azure://key:SECRET@account/a?sig=TOKEN"))
        .hasMessageStartingWith("'Azure://account/a' is not a store");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "data",
        "file:",
        "file://",
        "file://host/srv",
        "S3://bucket",
        "s3:bucket",
        "s3://",
        "s3:///prefix",
        "s3://Bucket",
        "s3://ab",
        "s3://bucket//",
        "s3://bucket/a//b",
        "s3://bucket/a/../b",
        "s3://bucket/\u00e4",
        "s3://bucket/a b",
      })
  void anything_else_is_refused_in_one_line(String url) {
    assertThatThrownBy(() -> StoreLocation.parse(url))
        .isInstanceOf(IllegalArgumentException.class)
        .message()
        .isNotBlank()
        .doesNotContain("\n");
  }
}
