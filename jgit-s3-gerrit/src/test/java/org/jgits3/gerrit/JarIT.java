// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.ArchConfiguration;
import com.tngtech.archunit.core.domain.AccessTarget.CodeUnitAccessTarget;
import com.tngtech.archunit.core.domain.AccessTarget.FieldAccessTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The jar as it goes into a site. */
class JarIT {
  private static final Path JAR = Path.of("target", "jgit-s3-gerrit.jar");
  private static final long MOST_BYTES = 17_500_000;
  private static final String OURS = "org/jgits3/";

  private static List<String> names() throws IOException {
    try (JarFile jar = new JarFile(JAR.toFile())) {
      return jar.stream().filter(e -> !e.isDirectory()).map(e -> e.getName()).toList();
    }
  }

  @Test
  void it_is_small() throws Exception {
    assertThat(Files.size(JAR)).isLessThan(MOST_BYTES);
  }

  @Test
  void all_classes_are_in_its_own_packages() throws Exception {
    assertThat(names())
        .filteredOn(name -> name.endsWith(".class") && !name.startsWith(OURS))
        .isEmpty();
    assertThat(names()).contains(OURS + "gerrit/S3DbModule.class");
    assertThat(names())
        .anyMatch(
            name -> name.startsWith(OURS + "gerrit/shaded/software/amazon/awssdk/services/s3/"));
    assertThat(names()).noneMatch(name -> name.matches(".*/(jgit|guice|inject|slf4j)/.*"));
  }

  @Test
  void services_are_those_of_its_own_packages() throws Exception {
    assertThat(names())
        .filteredOn(name -> name.startsWith("META-INF/services/"))
        .allMatch(name -> name.startsWith("META-INF/services/org.jgits3."));
  }

  /**
   * Everything the library and the module call in Gerrit, JGit, Guice and slf4j is in this Gerrit.
   */
  @Test
  void whatever_it_calls_in_gerrit_is_there() throws Exception {
    List<String> path = new ArrayList<>();
    try (Stream<String> each =
        Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))) {
      each.filter(p -> p.contains("gerrit-plugin-api")).forEach(path::add);
    }
    assertThat(path).isNotEmpty();
    ArchConfiguration.get().setResolveMissingDependenciesFromClassPath(true); // of Gerrit
    JavaClasses classes;
    try (JarFile jar = new JarFile(JAR.toFile())) {
      classes =
          new ClassFileImporter()
              .withImportOption(location -> !location.contains("/shaded/"))
              .importJar(jar);
    }
    JavaClass any =
        new ClassFileImporter().importClass(Object.class); // an interface has its methods
    Set<String> missing = new TreeSet<>();
    int checked = 0;
    for (JavaClass each : classes) {
      for (JavaAccess<?> access : each.getAccessesFromSelf()) {
        String owner = access.getTargetOwner().getName();
        if (owner.matches("(org\\.eclipse|org\\.slf4j|com\\.google)\\..*")) {
          checked++;
          boolean found =
              switch (access.getTarget()) {
                case CodeUnitAccessTarget unit ->
                    unit.resolveMember().isPresent()
                        || any.tryGetMethod(unit.getName(), names(unit)).isPresent();
                case FieldAccessTarget field -> field.resolveMember().isPresent();
                default -> true;
              };
          if (!found) {
            missing.add(access.getTarget().getFullName());
          }
        }
      }
    }
    assertThat(checked).isGreaterThan(1000);
    assertThat(missing).isEmpty();
  }

  private static String[] names(CodeUnitAccessTarget unit) {
    return unit.getRawParameterTypes().stream().map(JavaClass::getName).toArray(String[]::new);
  }
}
