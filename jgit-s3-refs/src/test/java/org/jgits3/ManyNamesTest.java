// SPDX-License-Identifier: Apache-2.0
package org.jgits3;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import org.jgits3.store.MadeUpRepositories;
import org.jgits3.testing.ForkedJvm;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Very many names are listed in little memory. */
class ManyNamesTest {
  @Test
  void twenty_thousand_names_are_listed_sorted_in_a_small_heap() throws Exception {
    lists(20_000, "-Xmx32m");
  }

  @Test
  @Tag("long") // twenty_thousand_names_are_listed_sorted_in_a_small_heap
  void a_million_names_are_listed_sorted_within_200_MB() throws Exception {
    lists(1_000_000, "-Xmx200m");
  }

  private static void lists(int repositories, String heap) throws Exception {
    List<String> options = List.of(heap, "-XX:+UseSerialGC", "-XX:+ExitOnOutOfMemoryError");
    assertThat(ForkedJvm.run(options, Listing.class, Integer.toString(repositories)))
        .contains(repositories + " names in order")
        .contains((repositories - 10) + " after the tenth");
  }

  /** Lists repositories that a listing is made up for. */
  static final class Listing {
    private Listing() {}

    public static void main(String[] args) throws Exception {
      int repositories = Integer.parseInt(args[0]);
      try (S3RepositoryManager manager =
          TestRepositories.manager(new MadeUpRepositories(repositories, i -> 1))) {
        int listed = 0;
        String before = "";
        for (String name : manager.names("", "")) {
          if (name.compareTo(before) <= 0) {
            throw new IOException(name + " after " + before);
          }
          before = name;
          listed++;
        }
        System.out.println(listed + " names in order");
        int after = 0;
        for (String name : manager.names("departments/", MadeUpRepositories.name(9))) {
          after += name.isEmpty() ? 0 : 1;
        }
        System.out.println(after + " after the tenth");
      }
    }
  }
}
