// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gerrit.entities.Project;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class S3RequestFilterTest {
  @ParameterizedTest
  @CsvSource({
    "/a/demo/info/refs, demo",
    "/demo/info/refs, demo",
    "/a/some/demo.git/git-upload-pack, some/demo",
    "/a/with%20space/git-receive-pack, with space",
    "/p/demo/info/refs, demo",
    "/a/c++/info/refs, c++",
    "/a/100%/info/refs,",
    "/a/changes/demo~12/detail, demo",
    "/a/changes/c%2B%2B~12, c++",
    "/a/changes/100%~12,",
    "/changes/some%2Fdemo~12, some/demo",
    "/a/changes/demo~12/revisions/current/review, demo",
    "/a/changes/demo~main~I0123456789012345678901234567890123456789/detail, demo",
    "/a/changes/12/detail,",
    "/a/changes/,",
    "/a/accounts/self,",
    "/info/refs,",
    "/,",
  })
  void project_is_found_in_paths_of_git_and_of_changes(String path, String project) {
    assertThat(S3RequestFilter.project(path).map(Project.NameKey::get).orElse(null))
        .isEqualTo(project);
  }
}
