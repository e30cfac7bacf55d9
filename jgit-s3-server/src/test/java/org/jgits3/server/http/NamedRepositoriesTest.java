// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
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
  void clients_are_not_told_why_the_store_fails() throws Exception {

    try (S3RepositoryManager maker = TestRepositories.manager(directory)) {
      maker.createRepository("r").close();
    }
    damageManifests();
    try (S3RepositoryManager manager = TestRepositories.manager(directory);
        GitHttpServer server = GitHttpServer.builder().start(manager)) {
      HttpResponse<String> answer = ask(server, "r", "git-upload-pack");
      assertThat(answer.statusCode()).isEqualTo(503);
      assertThat(answer.body())
          .isEqualTo("repository r cannot be opened now; the server's log says why\n");
    }
  }

  private static HttpResponse<String> ask(GitHttpServer server, String name, String service)
      throws IOException, InterruptedException {
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(
                    server.uri().resolve("/" + name + ".git/info/refs?service=" + service))
                .build(),
            HttpResponse.BodyHandlers.ofString());
  }
}
