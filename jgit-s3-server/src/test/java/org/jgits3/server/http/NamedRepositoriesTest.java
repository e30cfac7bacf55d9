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
import org.jgits3.TestRepositories;
import org.jgits3.internal.store.file.DirectoryObjectStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void a_repository_that_is_being_renamed_is_unavailable_and_not_missing(boolean createOnPush)
      throws Exception {
    try (S3RepositoryManager manager =
            TestRepositories.manager(new DirectoryObjectStore(directory));
        GitHttpServer server = GitHttpServer.builder().createOnPush(createOnPush).start(manager)) {
      manager.createRepository("old").close();
      TestRepositories.renameAndDie(directory, "old", "new", 2);
      for (String name : List.of("old", "new")) {
        for (String service : List.of("git-upload-pack", "git-receive-pack")) {
          HttpResponse<String> answer = ask(server, name, service);
          assertThat(answer.statusCode()).isEqualTo(503);
          assertThat(answer.headers().firstValue("Retry-After")).isPresent();
          assertThat(answer.body())
              .isEqualTo("repository " + name + " is being renamed, try again\n");
        }
      }
      manager.rename("old", "new");
      assertThat(ask(server, "new", "git-upload-pack").statusCode()).isEqualTo(200);
      assertThat(ask(server, "old", "git-upload-pack").statusCode()).isEqualTo(404);
    }
  }
}
