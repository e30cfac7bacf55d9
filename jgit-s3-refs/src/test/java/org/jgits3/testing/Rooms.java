// SPDX-License-Identifier: Apache-2.0
package org.jgits3.testing;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Rules for the packages of a module: small, and with no circles between them. */
public final class Rooms {
  private static final Path SOURCES = Path.of("src/main/java");
  private static final Path TESTS = Path.of("src/test/java");

  /** So many, and the description of the package. */
  private static final int MOST_FILES = 24;

  private Rooms() {}

  /**
   * Checks the packages of the module whose tests run.
   *
   * @param root their common package, which no other uses
   */
  public static void check(String root) {
    JavaClasses classes =
        new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages(root);
    assertThat(classes.stream().map(JavaClass::getPackageName))
        .as("packages that are checked")
        .containsAll(filesByPackage(SOURCES).keySet());
    slices().matching(root + ".(**)").should().beFreeOfCycles().check(classes);
    noClasses()
        .that()
        .resideOutsideOfPackage(root)
        .should()
        .dependOnClassesThat()
        .resideInAPackage(root)
        .check(classes);
    assertSmall();
  }

  /** Checks that no package of the module whose tests run, or of its tests, has too many files. */
  public static void assertSmall() {
    for (Path tree : List.of(SOURCES, TESTS)) {
      assertThat(filesByPackage(tree))
          .as(tree.toString())
          .isNotEmpty()
          .allSatisfy((room, count) -> assertThat(count).isLessThanOrEqualTo(MOST_FILES));
    }
  }

  /** Counts the files of each package but its description. */
  private static Map<String, Long> filesByPackage(Path tree) {
    try (Stream<Path> files = Files.walk(tree)) {
      return files
          .filter(f -> f.toString().endsWith(".java") && !f.endsWith("package-info.java"))
          .map(f -> tree.relativize(f.getParent()).toString().replace('/', '.'))
          .collect(Collectors.groupingBy(room -> room, Collectors.counting()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
