// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.testing.aid.StoredFiles;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NamedRepositoriesTest {
  @TempDir private Path directory;

  private void damageManifests() throws IOException {
    List<Path> files = StoredFiles.below(directory.resolve("repos"), file -> true);
    assertThat(files).isNotEmpty();
    for (Path file : files) {
      Files.writeString(file, "garbage");
    }
  }

  @Test
  void clients_are_told_what_is_missing_and_not_why_the_store_fails() throws Exception {

    try (S3RepositoryManager maker = TestRepositories.manager(directory)) {
      maker.createRepository("r").close();
    }
    damageManifests();
    try (S3RepositoryManager manager = TestRepositories.manager(directory);
        GitHttpServer server = GitHttpServer.builder().start(manager)) {
      for (String service : List.of("git-upload-pack", "git-receive-pack")) {
        URI none = server.uri().resolve("/none.git/info/refs?service=" + service);
        assertThat(TestRequests.get(none).statusCode()).isEqualTo(404);
        HttpResponse<String> answer =
            TestRequests.get(server.uri().resolve("/r.git/info/refs?service=" + service));
        assertThat(answer.statusCode()).isEqualTo(503);
        assertThat(answer.body())
            .isEqualTo("repository r cannot be opened now; the server's log says why\n");
      }
    }
  }
}
