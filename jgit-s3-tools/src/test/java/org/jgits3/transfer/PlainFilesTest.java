// SPDX-License-Identifier: Apache-2.0
package org.jgits3.transfer;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.eclipse.jgit.errors.RepositoryNotFoundException;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.store.MemoryObjectStore;
import org.jgits3.testing.GitAssertions;
import org.jgits3.testing.GitClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Imports from a web server that knows nothing of Git, and has the files of a repository. */
class PlainFilesTest {
  private static final String FORMAT = "--format=%(refname) %(objectname) %(*objectname)";

  @TempDir Path scratch;
  private final ConcurrentMap<String, Integer> asked = new ConcurrentHashMap<>();
  private final Set<String> hidden = ConcurrentHashMap.newKeySet();
  private final Set<String> headers = ConcurrentHashMap.newKeySet();
  private HttpServer server;
  private GitClient source;
  private S3RepositoryManager manager;

  @BeforeEach
  void create() throws Exception {
    GitClient git = GitClient.in(scratch);
    git.run("init", "-q", "-b", "trunk", "work");
    GitClient work = git.at("work");
    work.commitFile("packed", "1\n");
    work.run("tag", "-a", "-m", "first", "v1");
    work.run("gc", "-q");
    work.commitFile("alone", "2\n");
    work.run("branch", "side", "HEAD~1");
    git.run("clone", "-q", "--mirror", "--no-local", "work", "packed.git");
    work.commitFile("loose", "3\n");
    work.run("tag", "-a", "-m", "second", "v2");
    work.run("push", "-q", "../packed.git", "--all");
    work.run("push", "-q", "../packed.git", "--tags");
    source = git.at("packed.git");
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::answer);
    server.start();
    manager = TestRepositories.manager(new MemoryObjectStore());
  }

  @AfterEach
  void close() throws IOException {
    manager.close();
    server.stop(0);
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      String path = exchange.getRequestURI().getPath();
      headers.add(String.valueOf(exchange.getRequestHeaders().getFirst("X-Token")));
      asked.merge(path, 1, Integer::sum);
      Path file = scratch.resolve(path.substring(1)).normalize();
      if (hidden.contains(path) || !file.startsWith(scratch) || !Files.isRegularFile(file)) {
        exchange.sendResponseHeaders(404, -1);
      } else {
        byte[] bytes = Files.readAllBytes(file);
        exchange.sendResponseHeaders(200, bytes.length == 0 ? -1 : bytes.length);
        exchange.getResponseBody().write(bytes);
      }
    }
  }

  private String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort() + "/packed.git";
  }

  private Importer.Imported run() throws IOException {
    source.run("update-server-info");
    try (ImportSource opened = ImportSource.open(url())) {
      return new Importer(manager, NullProgressMonitor.INSTANCE)
          .run(opened, new RepositoryName("r"));
    }
  }

  private String looseObject(String revision) {
    String id = source.run("rev-parse", revision).strip();
    return "/packed.git/objects/" + id.substring(0, 2) + "/" + id.substring(2);
  }

  @Test
  void packs_and_loose_objects_become_a_repository_with_the_same_refs() throws Exception {
    assertThat(source.run("count-objects", "-v")).doesNotContain("count: 0").contains("packs: 1");

    assertThat(run().refs()).isEqualTo(4);

    assertThat(asked).containsKey(looseObject("trunk"));
    assertThat(asked.keySet()).anyMatch(path -> path.endsWith(".pack"));
    assertThat(asked.values()).as("requests for each file").allMatch(n -> n <= 2);
    Path exported = scratch.resolve("exported.git");
    try (S3Repository repository = manager.openRepository("r")) {
      new Exporter(NullProgressMonitor.INSTANCE).run(repository, exported);
    }
    GitClient out = source.at(exported);
    GitAssertions.assertIntact(out);
    assertThat(out.run("for-each-ref", FORMAT)).isEqualTo(source.run("for-each-ref", FORMAT));
    assertThat(out.run("symbolic-ref", "HEAD").strip()).isEqualTo("refs/heads/trunk");
  }

  @Test
  void the_administrator_says_which_headers_are_sent_for_refs_and_objects() throws Exception {
    try (S3RepositoryManager others =
            TestRepositories.manager(
                new MemoryObjectStore(), "[http]\nextraHeader = X-Token: t0ken");
        ImportSource opened = ImportSource.open(url())) {
      source.run("update-server-info");
      new Importer(others, NullProgressMonitor.INSTANCE).run(opened, new RepositoryName("r"));
    }
    assertThat(headers).containsExactly("t0ken");
  }

  @Test
  void an_object_that_the_server_lacks_is_named_and_nothing_gets_the_name() {
    String gone = looseObject("trunk^{tree}");
    hidden.add(gone);
    assertThatThrownBy(this::run)
        .isInstanceOf(IOException.class)
        .hasMessageContaining(source.run("rev-parse", "trunk^{tree}").strip());
    assertThatThrownBy(() -> manager.openRepository("r"))
        .isInstanceOf(RepositoryNotFoundException.class);
  }

  @Test
  void a_page_for_people_is_no_list_of_refs() throws Exception {
    server.createContext(
        "/packed.git/info/refs",
        exchange -> {
          try (exchange) {
            byte[] page = "<!DOCTYPE html>\t<html>\n".getBytes(UTF_8);
            exchange.sendResponseHeaders(200, page.length);
            exchange.getResponseBody().write(page);
          }
        });
    assertThatThrownBy(this::run)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("/packed.git: its answer is not a list of refs");
  }

  @Test
  void names_beyond_ASCII_are_taken() throws Exception {
    source.run("branch", "gr\u00fcn", "trunk");
    run();
    try (S3Repository imported = manager.openRepository("r")) {
      assertThat(imported.exactRef("refs/heads/gr\u00fcn")).isNotNull();
    }
  }
}
