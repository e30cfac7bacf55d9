// SPDX-License-Identifier: Apache-2.0
package org.jgits3.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.NavigableSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests how many classes of the library an operation passes through, between JGit and the contract
 * of a store. Values of a manifest and of the contract are left out, and the store itself.
 */
class PassedClassesTest {
  private static final String OURS = "org.jgits3.";
  private static final List<String> LEFT_OUT =
      List.of("manifest.", "store.", "internal.store.file.", "internal.digest.");

  @TempDir Path directory;

  private static boolean isCounted(String name) {
    return name.startsWith(OURS)
        && !name.equals(EnteredClasses.class.getName())
        && !name.startsWith(PassingProgram.class.getName())
        && LEFT_OUT.stream().noneMatch(name.substring(OURS.length())::startsWith);
  }

  @Test
  void look_ups_and_a_push_pass_through_few_classes() throws Exception {
    List<NavigableSet<String>> passed =
        EnteredClasses.of(PassingProgram.class, directory.toString(), PassedClassesTest::isCounted);
    assertThat(passed.stream().map(NavigableSet::size))
        .as(() -> String.join("\n", passed.stream().flatMap(PassedClassesTest::lines).toList()))
        .containsExactly(11, 13, 55);
  }

  private static Stream<String> lines(NavigableSet<String> names) {
    return Stream.concat(Stream.of(names.size() + " classes"), names.stream());
  }
}
