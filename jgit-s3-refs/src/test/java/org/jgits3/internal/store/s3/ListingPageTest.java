// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.s3;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.util.Optional;
import org.jgits3.store.ListedObject;
import org.jgits3.store.ObjectVersion;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Answers to listings, as servers write them, and what is none. */
class ListingPageTest {
  private static final String HEAD =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
          + "<ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
          + "<Name>bucket</Name><Prefix>p/</Prefix><KeyCount>2</KeyCount>";
  private static final String OBJECTS =
      "<Contents><Key>p/a&amp;b&#x2F;ü</Key><LastModified>2026-11-26T00:00:00.000Z</LastModified>"
          + "<ETag>&quot;1-2&quot;</ETag><Size>5368709120</Size>"
          + "<Owner><ID>i</ID><DisplayName>d</DisplayName></Owner>"
          + "<StorageClass>STANDARD</StorageClass></Contents>\n"
          + "<Contents><Size>0</Size><Key> p/c </Key></Contents>";
  private static final String END = "</ListBucketResult>";

  private static ListingPage read(String document) throws IOException {
    return ListingPage.read(new ByteArrayInputStream(document.getBytes(UTF_8)));
  }

  @Test
  void objects_have_key_size_and_version() throws IOException {
    ListingPage page = read(HEAD + OBJECTS + END);
    assertThat(page.objects())
        .containsExactly(
            new ListedObject("p/a&b/ü", 5_368_709_120L, Optional.of(new ObjectVersion("\"1-2\""))),
            new ListedObject(" p/c ", 0, Optional.empty()));
    assertThat(page.next()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"true, t=, t=", "false, t=, ", "false, , ", ", t=, t=", ", , "})
  void a_page_that_is_not_the_last_has_a_token(String truncated, String token, String next)
      throws IOException {
    String more =
        (truncated == null ? "" : "<IsTruncated>" + truncated + "</IsTruncated>")
            + (token == null ? "" : "<NextContinuationToken>" + token + "</NextContinuationToken>");
    assertThat(read(HEAD + OBJECTS + more + END).next()).isEqualTo(Optional.ofNullable(next));
  }

  @Test
  void an_empty_listing_has_no_objects() throws IOException {
    assertThat(read(HEAD + END).objects()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        HEAD + OBJECTS,
        HEAD + OBJECTS + "<Contents><Key>p/",
        HEAD + OBJECTS + "<IsTruncated>true</IsTruncated>" + END,
        HEAD + "<IsTruncated>true</IsTruncated><NextContinuationToken/>" + END,
        HEAD + "<Contents><Key>p/a</Key></Contents>" + END,
        HEAD + "<Contents><Size>1</Size></Contents>" + END,
        HEAD + "<Contents><Key>p/a</Key><Size>1 kB</Size></Contents>" + END,
        HEAD + END + "<more/>",
        "<Error><Code>InternalError</Code><Message>said so</Message></Error>",
        "<html><body>Please log in</body></html>",
        "{\"objects\": []}",
        "<!DOCTYPE l [<!ENTITY e SYSTEM \"file:/etc/hostname\">]><ListBucketResult><Contents>"
            + "<Key>&e;</Key><Size>1</Size></Contents></ListBucketResult>"
      })
  void any_other_document_is_no_listing(String document) {
    assertThatThrownBy(() -> read(document))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith("no whole listing: ")
        .hasMessageNotContaining("\n");
  }

  @Test
  void a_page_that_breaks_off_says_why() {
    IOException reset = new IOException("Connection reset");
    InputStream broken =
        new SequenceInputStream(
            new ByteArrayInputStream((HEAD + OBJECTS).getBytes(UTF_8)),
            new InputStream() {
              @Override
              public int read() throws IOException {
                throw reset;
              }

              @Override
              public int read(byte[] dst, int offset, int length) throws IOException {
                throw reset;
              }
            });
    assertThatThrownBy(() -> ListingPage.read(broken))
        .hasMessage("no whole listing: Connection reset")
        .hasCause(reset);
  }
}
