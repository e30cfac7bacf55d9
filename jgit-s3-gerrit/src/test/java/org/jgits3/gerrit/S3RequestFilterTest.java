// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gerrit.entities.Project;
import com.google.gerrit.httpd.GitOverHttpServlet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

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

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/a/demo/info/refs",
        "/demo/git-upload-pack",
        "/p/some/demo/git-receive-pack",
        "/a/demo/objects",
        "/a/changes/demo~12"
      })
  void paths_of_git_are_those_of_gerrit(String path) {
    Matcher gerrits = Pattern.compile(GitOverHttpServlet.URL_REGEX).matcher(path);
    assertThat(S3RequestFilter.GIT.matcher(path).matches()).isEqualTo(gerrits.matches());
  }
}
