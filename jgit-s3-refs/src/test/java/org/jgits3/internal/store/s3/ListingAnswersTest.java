// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.s3;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jgits3.Stores;
import org.jgits3.store.ListedObject;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.ObjectVersion;
import org.jgits3.store.StoreException;
import org.jgits3.store.StoreLocation;
import org.jgits3.store.StoreOptions;
import org.jgits3.testing.Holds;
import org.jgits3.testing.ScriptedHttpServer;
import org.jgits3.testing.SystemProperties;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Answers to listings, as servers write them, and what is none. */
@Holds(
    "S3ObjectStore: A listing is complete or fails: no other document, and none that ends early, "
        + "is taken for an empty one")
class ListingAnswersTest {
  private static final String HEAD =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
          + "<ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
          + "<Name>bucket</Name><Prefix>p/</Prefix><KeyCount>2</KeyCount>";
  private static final String OBJECTS =
      "<Contents><Key>p/a&amp;b&#x2F;ü</Key><LastModified>2026-11-26T00:00:00.000Z</LastModified>"
          + "<ETag>&quot;1-2&quot;</ETag><Size>5368709120</Size>"
          + "<Owner><ID>i</ID><DisplayName>d</DisplayName></Owner>"
          + "<StorageClass>STANDARD</StorageClass></Contents>\n"
          + "<Contents><Size>0</Size><Key>p/ c </Key></Contents>";
  private static final String END = "</ListBucketResult>";

  @AutoClose private final SystemProperties properties = new SystemProperties();

  /** Queries of the requests. */
  private final List<String> queries = new ArrayList<>();

  @BeforeEach
  void set_credentials() {
    properties.set("aws.accessKeyId", "AKIDEXAMPLE").set("aws.secretAccessKey", "secret");
  }

  /** Lists a bucket whose server answers with documents, and then with an empty last page. */
  private List<ListedObject> list(String... documents) throws IOException {
    List<ListedObject> objects = new ArrayList<>();
    try (ScriptedHttpServer server =
            new ScriptedHttpServer(
                (n, exchange) -> {
                  queries.add(exchange.getRequestURI().getQuery());
                  String document = n <= documents.length ? documents[n - 1] : HEAD + END;
                  byte[] body = document.getBytes(UTF_8);
                  exchange.sendResponseHeaders(200, body.length == 0 ? -1 : body.length);
                  exchange.getResponseBody().write(body);
                });
        ObjectStore store =
            Stores.open(
                new StoreLocation.Bucket("bucket", "p"),
                new StoreOptions(
                    Optional.of(server.endpoint()),
                    Optional.of("us-east-1"),
                    true,
                    4,
                    Duration.ZERO))) {
      store.list("", objects::add);
    }
    return objects;
  }

  @Test
  void objects_have_key_size_and_version() throws IOException {
    assertThat(list(HEAD + OBJECTS + END))
        .containsExactly(
            new ListedObject("a&b/ü", 5_368_709_120L, Optional.of(new ObjectVersion("\"1-2\""))),
            new ListedObject(" c ", 0, Optional.empty()));
    assertThat(queries).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource({"true, t=, t=", "false, t=, ", "false, , ", ", t=, t=", ", , "})
  void a_page_that_is_not_the_last_has_a_token(String truncated, String token, String next)
      throws IOException {
    String more =
        (truncated == null ? "" : "<IsTruncated>" + truncated + "</IsTruncated>")
            + (token == null ? "" : "<NextContinuationToken>" + token + "</NextContinuationToken>");
    assertThat(list(HEAD + OBJECTS + more + END)).hasSize(2);
    if (next == null) {
      assertThat(queries).hasSize(1);
    } else {
      assertThat(queries).hasSize(2);
      assertThat(queries.get(1)).contains("continuation-token=" + next);
    }
  }

  @Test
  void an_empty_listing_has_no_objects() throws IOException {
    assertThat(list(HEAD + END)).isEmpty();
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
        "<Error><Code>InternalError</Code><Message>said so</Message></Error>",
        "<html><body>Please log in</body></html>",
        "{\"objects\": []}",
        "<!DOCTYPE l [<!ENTITY e SYSTEM \"file:/etc/hostname\">]><ListBucketResult><Contents>"
            + "<Key>&e;</Key><Size>1</Size></Contents></ListBucketResult>",
        "<!DOCTYPE l [<!ENTITY e SYSTEM \"file:/etc/hostname\">]>"
            + "<ListBucketResult><Name>b</Name><Contents>"
            + "<Key>p/&e;</Key><Size>1</Size></Contents></ListBucketResult>"
      })
  void any_other_document_is_no_listing(String document) {
    assertThatThrownBy(() -> list(document))
        .isInstanceOf(StoreException.Unavailable.class)
        .message()
        .matches("s3://bucket/p/: (no answer: .+|200 InternalError)");
  }

  /** Otherwise the same page would be requested for ever. */
  @Test
  void a_page_does_not_lead_to_itself() {
    String page =
        HEAD
            + OBJECTS
            + "<IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken>"
            + END;
    assertThatThrownBy(() -> list(page, page, page))
        .isInstanceOf(StoreException.Unavailable.class)
        .hasMessageContaining("no whole listing");
    assertThat(queries).hasSize(2);
  }
}
