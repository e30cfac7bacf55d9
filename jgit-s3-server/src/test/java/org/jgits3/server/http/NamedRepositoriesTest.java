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
import java.util.stream.Stream;
import org.eclipse.jgit.lib.Config;
import org.jgits3.S3RepositoryManager;
import org.jgits3.S3Settings;
import org.jgits3.internal.store.file.DirectoryObjectStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NamedRepositoriesTest {
  @TempDir private Path directory;

  private void damageManifests() throws IOException {
    List<Path> files;
    try (Stream<Path> all = Files.walk(directory.resolve("repos"))) {
      files = all.filter(Files::isRegularFile).toList();
    }
    assertThat(files).isNotEmpty();
    for (Path file : files) {
      Files.writeString(file, "garbage");
    }
  }

  @Test
  void clients_are_not_told_why_the_store_fails() throws Exception {
    S3Settings settings = S3Settings.from(new Config(), "test");
    try (S3RepositoryManager maker =
        new S3RepositoryManager(new DirectoryObjectStore(directory), settings)) {
      maker.createRepository("r").close();
    }
    damageManifests();
    try (S3RepositoryManager manager =
            new S3RepositoryManager(new DirectoryObjectStore(directory), settings);
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
