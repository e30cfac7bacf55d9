// SPDX-License-Identifier: Apache-2.0
package org.jgits3;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jgits3.testing.Rooms;
import org.junit.jupiter.api.Test;

/** The folder tree is the architecture: dependencies point downwards only. */
class ArchitectureTest {
  /** Packages from the bottom to the top; each may use those before it. */
  private static final List<String> ROOMS =
      List.of(
          "org.jgits3.internal.function",
          "org.jgits3.internal.concurrent",
          "org.jgits3.internal.digest",
          "org.jgits3.internal.net",
          "org.jgits3.store",
          "org.jgits3.internal.store.read",
          "org.jgits3.internal.store.upload",
          "org.jgits3.internal.store.file",
          "org.jgits3.internal.store.cache",
          "org.jgits3.internal.store.s3",
          "org.jgits3.internal.store.metrics",
          "org.jgits3.internal.store",
          "org.jgits3.internal.store.probe",
          "org.jgits3.manifest",
          "org.jgits3.metrics",
          "org.jgits3.internal.commit",
          "org.jgits3.internal.catalog",
          "org.jgits3.internal.fleet",
          "org.jgits3.internal.fork",
          "org.jgits3.internal.refs.table",
          "org.jgits3.internal.refs.snapshot",
          "org.jgits3.internal.refs.log",
          "org.jgits3.internal.refs.transaction",
          "org.jgits3.internal.refs",
          "org.jgits3.history",
          "org.jgits3.internal.pack.check",
          "org.jgits3.internal.pack.file",
          "org.jgits3.internal.pack.connectivity",
          "org.jgits3.internal.pack.limit",
          "org.jgits3.internal.pack",
          "org.jgits3.internal.version",
          "org.jgits3.maintenance",
          "org.jgits3",
          "org.jgits3.micrometer",
          "org.jgits3.transport");

  /** Classes that use what JGit keeps to itself. */
  private static final Set<String> WALL =
      Set.of(
          "S3Repository",
          "internal.pack.Blobs",
          "internal.pack.DeferredPacks",
          "internal.pack.GarbageDrop",
          "internal.pack.ImportedPack",
          "internal.pack.IndexBudget",
          "internal.pack.PushParser",
          "internal.pack.RestoredPack",
          "internal.pack.Quarantine",
          "internal.pack.S3ObjDatabase",
          "internal.pack.S3Inserter",
          "internal.pack.NewPacks",
          "internal.pack.S3Reader",
          "internal.pack.SendingReader",
          "internal.pack.SharedPacks",
          "internal.pack.check.CheckedPackStream",
          "internal.pack.file.BlockCache",
          "internal.pack.file.PackFiles",
          "internal.pack.file.PackOutput",
          "internal.pack.file.PositionedChannel",
          "internal.pack.file.S3PackDescription",
          "internal.version.RepositoryVersion",
          "maintenance.BackgroundGc",
          "maintenance.GarbageCollection",
          "maintenance.PackCompaction",
          "micrometer.BlockCacheMeters");

  private static final JavaClasses LIBRARY =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages("org.jgits3");

  @Test
  void every_package_has_its_place() {
    assertThat(LIBRARY.stream().map(JavaClass::getPackageName).distinct())
        .containsExactlyInAnyOrderElementsOf(ROOMS);
  }

  @Test
  void packages_depend_downwards_only() {
    for (int i = 0; i < ROOMS.size() - 1; i++) {
      noClasses()
          .that()
          .resideInAPackage(ROOMS.get(i))
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(ROOMS.subList(i + 1, ROOMS.size()).toArray(String[]::new))
          .check(LIBRARY);
    }
  }

  /** Not even for a link, which the classes do not show. */
  @Test
  void public_contracts_import_nothing_internal() throws IOException {
    for (String contract : List.of("store", "manifest", "metrics")) {
      try (Stream<Path> files = Files.walk(Path.of("src/main/java/org/jgits3", contract))) {
        for (Path file : files.filter(Files::isRegularFile).toList()) {
          String source = Files.readString(file);
          if (source.contains("\npublic ")) {
            assertThat(source).as("%s", file).doesNotContain("import org.jgits3.internal.");
          }
        }
      }
    }
  }

  @Test
  void packages_are_small() {
    Rooms.assertSmall();
  }

  @Test
  void only_named_classes_use_what_is_internal_to_jgit() {
    Set<String> found = new TreeSet<>();
    for (JavaClass c : LIBRARY) {
      if (c.getDirectDependenciesFromSelf().stream()
          .anyMatch(
              d -> d.getTargetClass().getPackageName().startsWith("org.eclipse.jgit.internal."))) {
        found.add(c.getName().replaceFirst("\\$.*", "").replaceFirst("org\\.jgits3\\.", ""));
      }
    }
    assertThat(found).isEqualTo(new TreeSet<>(WALL));
  }

  @Test
  void only_the_s3_store_uses_the_sdk() {
    noClasses()
        .that()
        .resideOutsideOfPackage("org.jgits3.internal.store.s3")
        .and()
        .doNotHaveFullyQualifiedName(Stores.class.getName()) // which takes a client of the caller
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("software.amazon..")
        .check(LIBRARY);
  }

  @Test
  void the_store_knows_nothing_of_git() {
    noClasses()
        .that()
        .resideInAnyPackage("org.jgits3.store..", "org.jgits3.internal.store..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("org.eclipse.jgit..")
        .check(LIBRARY);
  }

  /** Gerrit brings 1.7. */
  @Test
  void logging_needs_no_newer_slf4j() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("org.slf4j.spi..", "org.slf4j.event..")
        .check(LIBRARY);
  }
}
