// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The jar of the classifier {@code store-tests} has all classes that the contract suite needs. */
class PublishedContractTest {
  /** As {@code pom.xml} has them, with their nested classes. */
  private static final Set<String> PUBLISHED = Set.of("ObjectStoreContract", "ConcurrentTasks");

  @Test
  void published_contract_needs_no_other_class_of_the_tests() {
    Set<JavaClass> tests =
        Set.copyOf(
            new ClassFileImporter()
                .withImportOption(ImportOption.Predefined.ONLY_INCLUDE_TESTS)
                .importPackages("org.jgits3"));
    Set<JavaClass> published =
        tests.stream().filter(PublishedContractTest::isPublished).collect(Collectors.toSet());
    assertThat(published).hasSizeGreaterThanOrEqualTo(PUBLISHED.size());
    assertThat(published)
        .flatExtracting(JavaClass::getDirectDependenciesFromSelf)
        .extracting(Dependency::getTargetClass)
        .filteredOn(needed -> tests.contains(needed) && !published.contains(needed))
        .isEmpty();
  }

  private static boolean isPublished(JavaClass type) {
    return type.getPackageName().equals(PublishedContractTest.class.getPackageName())
        && PUBLISHED.contains(type.getName().replaceAll(".*\\.|\\$.*", ""));
  }
}
