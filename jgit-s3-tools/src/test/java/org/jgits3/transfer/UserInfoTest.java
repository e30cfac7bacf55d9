// SPDX-License-Identifier: Apache-2.0
package org.jgits3.transfer;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.eclipse.jgit.lib.ReflogEntry;
import org.eclipse.jgit.transport.URIish;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.store.MemoryObjectStore;
import org.jgits3.testing.GitClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An import neither shows nor stores the user or the password of a URL. */
class UserInfoTest {
  private static final String TOKEN = "t0ken";
  private static final String PASSWORD = "s3cret";
  private static final String BOTH = TOKEN + ":" + PASSWORD + "@";

  @TempDir Path directory;

  private static Importer.Imported run(S3RepositoryManager manager, String url) throws Exception {
    try (ImportSource source = ImportSource.open(url)) {
      assertHidden(source.toString());
      return new Importer(manager, NullProgressMonitor.INSTANCE)
          .run(source, new RepositoryName("r"));
    }
  }

  private static void assertHidden(String text) {
    assertThat(text).doesNotContain(TOKEN).doesNotContain(PASSWORD);
  }

  /** Imports what cannot be, and looks at all that {@code --debug} shows. */
  private static Throwable failed(String url) throws Exception {
    try (S3RepositoryManager manager = TestRepositories.manager(new MemoryObjectStore())) {
      Throwable why = catchThrowable(() -> run(manager, url));
      assertThat(why).isInstanceOf(IOException.class);
      StringWriter trace = new StringWriter();
      why.printStackTrace(new PrintWriter(trace));
      assertHidden(trace.toString());
      return why;
    }
  }

  private static HttpServer serve(HttpHandler handler) throws IOException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          try (exchange) {
            handler.handle(exchange);
          }
        });
    server.start();
    return server;
  }

  /** Git's own server, as a CGI program. */
  private void runGit(HttpExchange exchange) throws IOException {
    ProcessBuilder git = new ProcessBuilder("git", "http-backend");
    URI asked = exchange.getRequestURI();
    Map<String, String> variables = git.environment();
    variables.put("GIT_PROJECT_ROOT", directory.toString());
    variables.put("GIT_HTTP_EXPORT_ALL", "1");
    variables.put("PATH_INFO", asked.getPath());
    variables.put("QUERY_STRING", String.valueOf(asked.getQuery()));
    variables.put("REQUEST_METHOD", exchange.getRequestMethod());
    Headers sent = exchange.getRequestHeaders();
    variables.put("CONTENT_TYPE", String.valueOf(sent.getFirst("Content-Type")));
    variables.put("HTTP_CONTENT_ENCODING", String.valueOf(sent.getFirst("Content-Encoding")));
    variables.put("GIT_PROTOCOL", String.valueOf(sent.getFirst("Git-Protocol")));
    Process process = git.redirectError(ProcessBuilder.Redirect.INHERIT).start();
    try (OutputStream in = process.getOutputStream()) {
      exchange.getRequestBody().transferTo(in);
    }
    String answer = new String(process.getInputStream().readAllBytes(), ISO_8859_1);
    int end = answer.indexOf("\r\n\r\n");
    answer
        .substring(0, end)
        .lines()
        .map(line -> line.split(": ", 2))
        .forEach(header -> exchange.getResponseHeaders().add(header[0], header[1]));
    byte[] body = answer.substring(end + 4).getBytes(ISO_8859_1);
    exchange.sendResponseHeaders(200, body.length);
    exchange.getResponseBody().write(body);
  }

  private static String url(HttpServer server, String path) {
    return "http://127.0.0.1:" + server.getAddress().getPort() + "/" + path;
  }

  @Test
  void the_log_of_an_import_says_where_from_without_them() throws Exception {
    GitClient git = GitClient.in(directory);
    git.run("init", "-q", "-b", "main", "src");
    git.at("src").commitFile("file", "content\n");
    Set<String> sent = ConcurrentHashMap.newKeySet();
    HttpServer server =
        serve(
            exchange -> {
              sent.addAll(exchange.getRequestHeaders().getOrDefault("Authorization", List.of()));
              runGit(exchange);
            });
    try (S3RepositoryManager manager = TestRepositories.manager(new MemoryObjectStore())) {
      String url = url(server, "src/.git");
      assertThat(run(manager, url.replace("://", "://" + BOTH)).refs()).isEqualTo(1);
      try (S3Repository repository = manager.openRepository("r")) {
        ReflogEntry last =
            repository.getRefDatabase().getReflogReader("refs/heads/main").getLastEntry();
        assertThat(last.getComment()).isEqualTo("import from " + url);
      }
    } finally {
      server.stop(0);
    }
    String credentials = TOKEN + ":" + PASSWORD;
    assertThat(sent)
        .containsExactly(
            "Basic " + Base64.getEncoder().encodeToString(credentials.getBytes(UTF_8)));
  }

  @Test
  void failures_name_the_url_without_them() throws Exception {
    HttpServer server =
        serve(
            exchange -> {
              String path = exchange.getRequestURI().getPath();
              exchange.sendResponseHeaders(Integer.parseInt(path.substring(1, 4)), -1);
            });
    try {
      for (String status : List.of("401", "403", "404", "500")) {
        String url = url(server, status);
        assertThat(failed(url.replace("://", "://" + BOTH))).hasMessageContaining(url);
        assertThat(failed(url.replace("://", "://" + TOKEN + "@"))).hasMessageContaining(url);
      }
    } finally {
      server.stop(0);
    }
  }

  @Test
  void locations_that_are_not_understood_are_named_without_them() throws Exception {
    failed("http://" + BOTH + "[/r");
    failed("http://" + TOKEN + ":a/" + PASSWORD + "@host.invalid/r");
    failed("nothing://" + BOTH + "host.invalid/r");
    assertThat(UserInfo.without("http://" + BOTH + "[/r")).isEqualTo("http://[/r");
  }

  @Test
  void other_parts_of_a_url_stay() throws Exception {
    assertThat(new UserInfo(new URIish("https://" + BOTH + "host:1/a@b.git")).shown())
        .isEqualTo("https://host:1/a@b.git");
    assertThat(new UserInfo(new URIish(TOKEN + "@host:a/b")).shown()).isEqualTo("host:a/b");
    assertThat(new UserInfo(new URIish("ssh://host/a@b")).shown()).isEqualTo("ssh://host/a@b");
  }
}
