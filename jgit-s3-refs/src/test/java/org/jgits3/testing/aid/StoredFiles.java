// SPDX-License-Identifier: Apache-2.0
package org.jgits3.testing.aid;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** The files of a store in a directory, which tests look at and damage. */
public final class StoredFiles {
  private StoredFiles() {}

  /** Files below a directory that have some property. */
  public static List<Path> below(Path directory, Predicate<Path> chosen) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      return files.filter(Files::isRegularFile).filter(chosen).toList();
    }
  }

  /** The one object whose name has an end. */
  public static Path only(Path store, String end) throws IOException {
    List<Path> found = below(store.resolve("objects"), file -> file.toString().endsWith(end));
    assertThat(found).hasSize(1);
    return found.get(0);
  }
}
