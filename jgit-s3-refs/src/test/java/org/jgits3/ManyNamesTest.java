// SPDX-License-Identifier: Apache-2.0
package org.jgits3;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jgits3.internal.store.metrics.ObservedObjectStore;
import org.jgits3.internal.store.metrics.RequestCounts;
import org.jgits3.store.MadeUpRepositories;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.RequestKind;
import org.jgits3.testing.ForkedJvm;
import org.junit.jupiter.api.Test;

/** Very many names are listed in little memory. */
class ManyNamesTest {
  private static final int REPOSITORIES = 200_000;

  @Test
  void two_hundred_thousand_names_are_two_hundred_listings_in_a_small_heap() throws Exception {
    List<String> options = List.of("-Xmx16m", "-XX:+UseSerialGC", "-XX:+ExitOnOutOfMemoryError");
    assertThat(ForkedJvm.run(options, Listing.class))
        .contains(REPOSITORIES + " names, each once, in 200 listings")
        .contains("the first one after 0")
        .contains("10000 of a department");
  }

  /** Lists repositories that a listing is made up for. */
  static final class Listing {
    private Listing() {}

    public static void main(String[] args) throws Exception {
      RequestCounts counts = new RequestCounts();
      ObjectStore store = new MadeUpRepositories(REPOSITORIES, i -> 1);
      try (S3RepositoryManager manager =
          TestRepositories.manager(new ObservedObjectStore(store, counts))) {
        long before = counts.snapshot().of(RequestKind.LIST);
        BitSet listed = new BitSet();
        manager.forEachName(
            "",
            name -> {
              int number = Integer.parseInt(name.substring(name.lastIndexOf('-') + 1));
              assertThat(name).isEqualTo(MadeUpRepositories.name(number));
              assertThat(listed.get(number)).isFalse();
              if (listed.isEmpty()) {
                long listings = counts.snapshot().of(RequestKind.LIST) - before;
                System.out.println("the first one after " + listings);
              }
              listed.set(number);
            });
        long listings = counts.snapshot().of(RequestKind.LIST) - before;
        System.out.println(
            listed.cardinality() + " names, each once, in " + listings + " listings");
        AtomicInteger some = new AtomicInteger();
        manager.forEachName("departments/007/repo", name -> some.incrementAndGet());
        System.out.println(some + " of a department");
      }
    }
  }
}
