// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server;

import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

class PackagesTest {
  @Test
  void packages_of_the_program_do_not_depend_on_each_other_in_circles() {
    JavaClasses program =
        new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("org.jgits3.server");
    assertThat(program).hasSizeGreaterThan(50);
    slices().matching("org.jgits3.server.(**)").should().beFreeOfCycles().check(program);
  }
}
