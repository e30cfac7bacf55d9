// SPDX-License-Identifier: Apache-2.0
package org.jgits3;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** The folder tree is the architecture: dependencies point downwards only. */
class ArchitectureTest {
  private static final JavaClasses LIBRARY =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages("org.jgits3");

  @Test
  void packages_depend_downwards_only() {
    layeredArchitecture()
        .consideringOnlyDependenciesInLayers()
        .layer("transfer")
        .definedBy("org.jgits3.transfer..")
        .layer("top")
        .definedBy("org.jgits3")
        .layer("maintenance")
        .definedBy("org.jgits3.maintenance..")
        .layer("refs")
        .definedBy("org.jgits3.refs..")
        .layer("pack")
        .definedBy("org.jgits3.pack..")
        .layer("manifest")
        .definedBy("org.jgits3.manifest..")
        .layer("probe")
        .definedBy("org.jgits3.store.probe..")
        .layer("store")
        .definedBy("org.jgits3.store")
        .whereLayer("transfer")
        .mayNotBeAccessedByAnyLayer()
        .whereLayer("top")
        .mayOnlyBeAccessedByLayers("transfer")
        .whereLayer("maintenance")
        .mayOnlyBeAccessedByLayers("top")
        .whereLayer("refs")
        .mayOnlyBeAccessedByLayers("transfer", "top", "maintenance")
        .whereLayer("pack")
        .mayOnlyBeAccessedByLayers("transfer", "top", "maintenance")
        .whereLayer("manifest")
        .mayOnlyBeAccessedByLayers("transfer", "top", "maintenance", "refs", "pack")
        .whereLayer("probe")
        .mayOnlyBeAccessedByLayers("top")
        .check(LIBRARY);
  }

  @Test
  void packages_are_free_of_cycles() {
    slices().matching("org.jgits3.(**)").should().beFreeOfCycles().check(LIBRARY);
  }

  @Test
  void only_the_store_talks_to_the_sdk() {
    noClasses()
        .that()
        .resideOutsideOfPackage("org.jgits3.store..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("software.amazon..")
        .check(LIBRARY);
  }

  @Test
  void the_store_knows_nothing_of_git() {
    noClasses()
        .that()
        .resideInAPackage("org.jgits3.store..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("org.eclipse.jgit..")
        .check(LIBRARY);
  }
}
