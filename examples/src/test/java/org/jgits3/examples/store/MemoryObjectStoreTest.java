// SPDX-License-Identifier: Apache-2.0
package org.jgits3.examples.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.UUID;
import org.jgits3.Stores;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.ObjectStoreContract;
import org.jgits3.store.StoreLocation;
import org.jgits3.store.StoreOptions;
import org.junit.jupiter.api.Test;

/** {@link MemoryObjectStore} keeps the contract, opened by its URL. */
class MemoryObjectStoreTest extends ObjectStoreContract {
  private final StoreLocation location =
      StoreLocation.parse("memory:test" + UUID.randomUUID().toString().replace("-", ""));

  @Override
  protected ObjectStore open() throws IOException {
    return Stores.open(location, StoreOptions.DEFAULT);
  }

  @Test
  void location_is_the_url_as_it_was_written() {
    assertThat(location.toString()).startsWith("memory:test");
    assertThat(location).isEqualTo(StoreLocation.parse(location.toString()));
  }

  @Test
  void unknown_scheme_is_refused_with_the_schemes_that_were_found() {
    StoreLocation other = StoreLocation.parse("azure://account/container");
    assertThatThrownBy(() -> Stores.open(other, StoreOptions.DEFAULT))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "'azure://account/container' is not a store: no jar on the class path provides azure:,"
                + " only file:, memory:, s3:");
  }

  @Test
  void provider_refuses_a_url_that_it_cannot_open() {
    StoreLocation unnamed = StoreLocation.parse("memory:");
    assertThatThrownBy(() -> Stores.open(unnamed, StoreOptions.DEFAULT))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("'memory:': write memory:NAME, of letters and digits");
  }
}
