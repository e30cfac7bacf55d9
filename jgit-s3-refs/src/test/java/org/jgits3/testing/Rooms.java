// SPDX-License-Identifier: Apache-2.0
package org.jgits3.testing;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.stream.Collectors;

/** Rules for the packages of a program: small, and with no circles between them. */
public final class Rooms {
  /** So many, and the description of the package. */
  private static final int MOST_CLASSES = 24;

  private Rooms() {}

  /**
   * Checks the packages of a module.
   *
   * @param root their common package, which no other uses
   */
  public static void check(String root) {
    JavaClasses classes =
        new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages(root);
    slices().matching(root + ".(**)").should().beFreeOfCycles().check(classes);
    noClasses()
        .that()
        .resideOutsideOfPackage(root)
        .should()
        .dependOnClassesThat()
        .resideInAPackage(root)
        .check(classes);
    assertSmall(classes);
  }

  /**
   * Checks that no package has too many top-level classes.
   *
   * @param classes classes of a module
   */
  public static void assertSmall(JavaClasses classes) {
    assertThat(
            classes.stream()
                .filter(c -> c.isTopLevelClass() && !c.getSimpleName().equals("package-info"))
                .collect(Collectors.groupingBy(JavaClass::getPackageName, Collectors.counting())))
        .isNotEmpty()
        .allSatisfy((room, count) -> assertThat(count).isLessThanOrEqualTo(MOST_CLASSES));
  }
}
