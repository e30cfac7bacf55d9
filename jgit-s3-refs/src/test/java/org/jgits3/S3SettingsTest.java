// SPDX-License-Identifier: Apache-2.0
package org.jgits3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.OptionalLong;
import org.eclipse.jgit.errors.ConfigInvalidException;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.storage.file.FileBasedConfig;
import org.eclipse.jgit.util.FS;
import org.eclipse.jgit.util.SystemReader;
import org.jgits3.store.Freshness;
import org.jgits3.store.StoreLocation;
import org.jgits3.store.UploadOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class S3SettingsTest {
  @TempDir Path directory;

  private static S3Settings parse(String text) throws ConfigInvalidException {
    Config config = new Config();
    config.fromText(text);
    return S3Settings.from(config, "jgit-s3.config");
  }

  @Test
  void without_settings_the_store_is_a_directory_and_limits_follow_the_heap() throws Exception {
    S3Settings settings = parse("");
    assertThat(settings.location()).isEqualTo(StoreLocation.parse("file:./data"));
    assertThat(settings.trustETag()).isTrue();
    assertThat(settings.keepRawBytes()).isTrue();
    assertThat(settings.cacheLimit()).isEqualTo(Runtime.getRuntime().maxMemory() / 4);
    assertThat(settings.withLocation(StoreLocation.parse("file:./x")).manifestLimit())
        .isEqualTo(Runtime.getRuntime().maxMemory() / 16);
  }

  @Test
  void a_base_is_read_and_checked_as_well() throws Exception {
    Config base = new Config();
    Config config = new Config(base);
    config.setString("s3", null, "store", "s3://bucket/a");
    base.setString("s3", null, "store", "s3://bucket/b");
    base.setInt("s3", null, "connections", 17);
    assertThat(S3Settings.from(config, "c").location().toString()).endsWith("bucket/a");
    assertThat(S3Settings.from(config, "c").options().connections()).isEqualTo(17);
    base.setString("s3", "rafs", "validate", "always");
    assertThatThrownBy(() -> S3Settings.from(config, "c")).hasMessageContaining("[s3 \"rafs\"]");
    base.unsetSection("s3", "rafs");
    base.setString("s3", null, "stroe", "file:x");
    assertThatThrownBy(() -> S3Settings.from(config, "c")).hasMessageContaining("key stroe");
  }

  @Test
  void every_key_is_read() throws Exception {
    S3Settings settings =
        parse(
            """
            [s3]
              store = s3://bucket/some/prefix
              endpoint = http://127.0.0.1:7070
              region = eu-central-1
              pathStyle = true
              connections = 17
              requestDeadline = 2 min
              commitDeadline = 5 s
              manifestLimit = 3m
            """);
    assertThat(settings.location()).isEqualTo(new StoreLocation.Bucket("bucket", "some/prefix"));
    assertThat(settings.options().endpoint()).contains(URI.create("http://127.0.0.1:7070"));
    assertThat(settings.options().region()).contains("eu-central-1");
    assertThat(settings.options().pathStyle()).isTrue();
    assertThat(settings.options().connections()).isEqualTo(17);
    assertThat(settings.options().requestDeadline()).isEqualTo(Duration.ofMinutes(2));
    assertThat(settings.commitDeadline()).isEqualTo(Duration.ofSeconds(5));
    assertThat(settings.manifestLimit()).isEqualTo(3 << 20);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "[s3] stroe = file:x              | [s3] | unknown key stroe",
        "[s3 \"rafs\"] validate = always  | [s3 \"rafs\"] | unknown section",
        "[s3] store = ftp://x             | [s3] store | ftp",
        "[s3] endpoint = nowhere          | [s3] endpoint | no http or https URL",
        "[s3] endpoint = minio:9000       | [s3] endpoint | no http or https URL",
        "[s3] endpoint = ftp://host       | [s3] endpoint | no http or https URL",
        "[s3] endpoint = http:relative    | [s3] endpoint | no http or https URL",
        "[s3] endpoint = http://key:secret@host | [s3] endpoint | credentials do not belong there",
        "[s3] connections = many          | [s3] connections | 'many' is no number",
        "[s3] connections = 0             | [s3] connections | not from 1 to",
        "[s3] pathStyle = perhaps         | [s3] pathStyle | neither true nor false",
        "[s3] commitDeadline = soon       | [s3] commitDeadline | no duration",
        "[s3 \"refs\"] validate = never   | [s3 \"refs\"] validate | neither always nor afterOpen",
        "[s3 \"refs\"] trustETag = maybe  | [s3 \"refs\"] trustETag | neither always nor never",
        "[s3 \"refs\"] cacheLimit = lots  | [s3 \"refs\"] cacheLimit | no number of bytes",
        "[s3 \"refs\"] cacheLimit = 5q    | [s3 \"refs\"] cacheLimit | no number of bytes",
        "[s3 \"refs\"] cacheLimit = -1    | [s3 \"refs\"] cacheLimit | less than 0",
        "[s3 \"refs\"] keepRawBytes = 7x  | [s3 \"refs\"] keepRawBytes | neither true nor false",
        "[s3] manifestLimit = some        | [s3] manifestLimit | no number of bytes",
        "[s3] manifestLimit = -1          | [s3] manifestLimit | less than 0",
        "[s3] commitDeadline = 0 s        | [s3] commitDeadline | not more than 0",
        "[s3] commitDeadline = 30         | [s3] commitDeadline | '30' has no unit; write '30 s'",
        "[s3] requestDeadline = 60        | [s3] requestDeadline | '60' has no unit; write '60 s'",
        "[s3] requestDeadline = later     | [s3] requestDeadline | no duration",
        "[s3 \"refs\"] validate = 5       | [s3 \"refs\"] validate | '5' has no unit",
        "[s3 \"refs\"] validate = 0       | [s3 \"refs\"] validate | '0' has no unit",
        "[s3 \"maintenance\"] gc = 1      | [s3 \"maintenance\"] gc | '1' has no unit",
        "[s3.refs] validate = 5 s         | [s3.refs] | unknown section; known are [s3], [s3 \"cache",
        "[s3.upload] buffers = 5          | [s3.upload] | unknown section",
        "[s3 \"Refs\"] validate = 5 s     | [s3 \"Refs\"] | unknown section",
        "[s3] cacheLimit = 1g             | [s3] | unknown key cacheLimit; it belongs into [s3 \"refs\"]",
        "[s3 \"upload\"] partSize = 4m     | [s3 \"upload\"] partSize | not from 5242880 to",
        "[s3 \"upload\"] partSize = 2g     | [s3 \"upload\"] partSize | no number",
        "[s3 \"upload\"] partSize = huge   | [s3 \"upload\"] partSize | no number",
        "[s3 \"upload\"] buffers = 0       | [s3 \"upload\"] buffers | not from 1 to",
        "[s3 \"maintenance\"] gc = soon  | [s3 \"maintenance\"] gc | neither never nor a duration",
        "[s3 \"maintenance\"] gc = -1 d   | [s3 \"maintenance\"] gc | neither never nor a duration",
        "[s3 \"maintenance\"] gc = 0 s    | [s3 \"maintenance\"] gc | not more than 0",
        "[s3 \"maintenance\"] gv = 1 d    | [s3 \"maintenance\"] | unknown key gv; known are gc",
        "[s3 \"upload\"] parts = 3         | [s3 \"upload\"] | unknown key parts",
      })
  void a_wrong_key_or_value_is_named(String text, String where, String why) {
    assertThatThrownBy(() -> parse(text.replaceFirst("] ", "]\n")))
        .isInstanceOf(ConfigInvalidException.class)
        .hasMessageStartingWith("jgit-s3.config: " + where)
        .hasMessageContaining(why)
        .message()
        .doesNotContain("\n", "secret", "key:");
  }

  @Test
  void validation_is_always_once_or_within_a_window() throws Exception {
    OptionalLong now = OptionalLong.of(System.nanoTime());
    OptionalLong minuteAgo = OptionalLong.of(System.nanoTime() - Duration.ofMinutes(1).toNanos());
    for (String always : new String[] {"", "[s3 \"refs\"]\nvalidate = always"}) {
      assertThat(parse(always).freshness().accepts(now)).isFalse();
    }
    Freshness opened = parse("[s3 \"refs\"]\nvalidate = afterOpen").freshness();
    assertThat(opened.accepts(now)).isFalse();
    assertThat(opened.accepts(OptionalLong.of(System.nanoTime()))).isTrue();
    Freshness window = parse("[s3 \"refs\"]\nvalidate = 59 s").freshness();
    assertThat(window.accepts(now)).isTrue();
    assertThat(window.accepts(minuteAgo)).isFalse();
    assertThat(window.accepts(OptionalLong.empty())).isFalse();
  }

  @Test
  void how_refs_are_kept_and_trusted_can_be_set() throws Exception {
    S3Settings settings =
        parse("[s3 \"refs\"]\ntrustETag = never\ncacheLimit = 3g\nkeepRawBytes = false");
    assertThat(settings.trustETag()).isFalse();
    assertThat(settings.cacheLimit()).isEqualTo(3L << 30);
    assertThat(settings.keepRawBytes()).isFalse();
    assertThat(parse("[s3 \"refs\"]\ncacheLimit = 64k").cacheLimit()).isEqualTo(64 << 10);
    assertThat(parse("[s3 \"refs\"]\ntrustETag = always").trustETag()).isTrue();
  }

  @Test
  void uploads_take_less_than_64_MB_unless_more_is_set() throws Exception {
    assertThat(parse("").uploads()).isEqualTo(UploadOptions.DEFAULT);
    assertThat(parse("[s3 \"upload\"]\npartSize = 16m").uploads())
        .isEqualTo(UploadOptions.ofPartSize(16 << 20));
    assertThat(parse("[s3 \"upload\"]\npartSize = 16m\nbuffers = 20").uploads())
        .isEqualTo(new UploadOptions(16 << 20, 20));
  }

  @Test
  void packs_are_collected_after_a_day_unless_something_else_is_set() throws Exception {
    assertThat(parse("").collectAfter()).contains(Duration.ofDays(1));
    assertThat(parse("[s3 \"maintenance\"]\ngc = 6 hours").collectAfter())
        .contains(Duration.ofHours(6));
    assertThat(parse("[s3 \"maintenance\"]\ngc = Never").collectAfter()).isEmpty();
    S3Settings elsewhere =
        parse("[s3 \"maintenance\"]\ngc = 2 d").withLocation(StoreLocation.parse("file:./x"));
    assertThat(elsewhere.collectAfter()).contains(Duration.ofDays(2));
  }

  @Test
  void a_file_that_is_missing_or_no_config_is_named() throws Exception {
    Path file = directory.resolve("jgit-s3.config");
    assertThatThrownBy(() -> S3Settings.load(file))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(file.toString());
    Files.writeString(file, "[s3\n");
    assertThatThrownBy(() -> S3Settings.load(file))
        .isInstanceOf(ConfigInvalidException.class)
        .hasMessageContaining(file.toString());
  }

  @Test
  void the_users_jgit_config_is_read_through_the_system_reader() throws Exception {
    Path file = directory.resolve("config");
    Files.writeString(file, "[s3]\n\tstore = s3://users-bucket\n");
    SystemReader before = SystemReader.getInstance();
    SystemReader.setInstance(
        new SystemReader.Delegate(before) {
          @Override
          public FileBasedConfig openJGitConfig(Config parent, FS fs) {
            return new FileBasedConfig(parent, file.toFile(), fs);
          }

          @Override
          public FileBasedConfig getJGitConfig() throws IOException, ConfigInvalidException {
            FileBasedConfig config = openJGitConfig(null, FS.DETECTED);
            config.load();
            return config;
          }
        });
    try {
      assertThat(S3Settings.ofUser().location())
          .isEqualTo(new StoreLocation.Bucket("users-bucket", ""));
    } finally {
      SystemReader.setInstance(before);
    }
  }
}
