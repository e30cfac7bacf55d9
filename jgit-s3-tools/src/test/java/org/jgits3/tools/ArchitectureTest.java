// SPDX-License-Identifier: Apache-2.0
package org.jgits3.tools;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jgits3.testing.Rooms;
import org.junit.jupiter.api.Test;

/** The tools stand on the library, each on its own. */
class ArchitectureTest {
  private static final List<String> ROOMS =
      List.of("org.jgits3.fleet", "org.jgits3.transfer", "org.jgits3.verify");

  /** Classes that use what JGit keeps to itself. */
  private static final Set<String> WALL =
      Set.of(
          "transfer.BareDirectory",
          "transfer.DirectoryUpdate",
          "transfer.LocalSource",
          "transfer.PackDirectory",
          "transfer.RemoteRefs",
          "transfer.Selection",
          "transfer.TemplateSource",
          "verify.BlockwiseChannel",
          "verify.Fsck",
          "verify.StoredPackParser");

  /** What the tools use of the internal packages of the library. */
  private static final Set<String> SURFACE =
      Set.of(
          "catalog.RepositoryCatalog",
          "commit.ManifestCommitter",
          "commit.ManifestFile",
          "digest.Sha256",
          "fleet.IdTable",
          "fleet.Manifests",
          "fleet.TableFormat",
          "function.Causes",
          "function.IoConsumer",
          "function.IoRunnable",
          "pack.ImportedPack",
          "pack.RestoredPack",
          "pack.S3ObjDatabase",
          "pack.SharedPacks",
          "pack.check.CheckedPackStream",
          "pack.check.ObjectFaults",
          "pack.check.PackCheck",
          "pack.file.PositionedChannel",
          "version.MaintenanceTarget",
          "version.RepositoryVersion",
          "refs.S3RefDatabase",
          "refs.snapshot.RefView",
          "refs.snapshot.SnapshotTables",
          "refs.table.PackedRefsFile",
          "refs.table.PackedRefsTable",
          "refs.table.RefDelta",
          "refs.table.RefFold",
          "refs.table.RefNames",
          "refs.table.SnapshotMerge",
          "refs.transaction.InitialRefs",
          "store.cache.LruCache",
          "store.file.LiveTreeVisitor");

  private static final JavaClasses TOOLS = new ClassFileImporter().importPath("target/classes");

  @Test
  void packages_are_those_that_the_architecture_names() {
    assertThat(TOOLS.stream().map(JavaClass::getPackageName).distinct())
        .containsExactlyInAnyOrderElementsOf(ROOMS);
  }

  @Test
  void no_tool_uses_another() {
    for (String room : ROOMS) {
      noClasses()
          .that()
          .resideInAPackage(room)
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              ROOMS.stream().filter(other -> !other.equals(room)).toArray(String[]::new))
          .check(TOOLS);
    }
  }

  /** A package in two jars would keep both off a module path. */
  @Test
  void no_package_is_in_both_jars() {
    Set<String> ours = TOOLS.stream().map(JavaClass::getName).collect(Collectors.toSet());
    JavaClasses all =
        new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("org.jgits3");
    Set<String> ofTheLibrary =
        all.stream()
            .filter(each -> !ours.contains(each.getName()))
            .map(JavaClass::getPackageName)
            .collect(Collectors.toSet());
    assertThat(ofTheLibrary).contains("org.jgits3").doesNotContainAnyElementsOf(ROOMS);
  }

  @Test
  void packages_are_small() {
    Rooms.assertSmall();
  }

  @Test
  void only_named_classes_use_what_is_internal_to_jgit() {
    Set<String> found = new TreeSet<>();
    for (JavaClass each : TOOLS) {
      if (!used(each, type -> type.getPackageName().startsWith("org.eclipse.jgit.internal."))
          .isEmpty()) {
        found.add(outermost(each.getName()));
      }
    }
    assertThat(found).isEqualTo(new TreeSet<>(WALL));
  }

  @Test
  void only_named_classes_internal_to_the_library_are_used() {
    Set<String> found = new TreeSet<>();
    for (JavaClass each : TOOLS) {
      used(each, type -> type.getName().startsWith("org.jgits3.internal."))
          .forEach(name -> found.add(outermost(name).replaceFirst("internal\\.", "")));
    }
    assertThat(found).isEqualTo(new TreeSet<>(SURFACE));
  }

  private static Set<String> used(JavaClass by, Predicate<JavaClass> chosen) {
    return by.getDirectDependenciesFromSelf().stream()
        .map(dependency -> dependency.getTargetClass().getBaseComponentType())
        .filter(chosen)
        .map(JavaClass::getName)
        .collect(Collectors.toSet());
  }

  private static String outermost(String name) {
    return name.replaceFirst("\\$.*", "").replaceFirst("org\\.jgits3\\.", "");
  }
}
