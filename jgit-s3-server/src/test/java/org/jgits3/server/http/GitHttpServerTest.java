// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.eclipse.jgit.internal.storage.dfs.InMemoryRepository;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.internal.function.IoRunnable;
import org.jgits3.server.http.limit.BoundedWork;
import org.jgits3.server.http.users.TestUsers;
import org.jgits3.server.http.users.UsersFile;
import org.jgits3.store.ConcurrentTasks;
import org.jgits3.store.MemoryObjectStore;
import org.jgits3.testing.aid.GitRequests;
import org.jgits3.testing.aid.RandomBytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GitHttpServerTest {
  private static final String PUSH_TYPE = "application/x-git-receive-pack-request";

  private final InMemoryRepositories repositories = new InMemoryRepositories();
  private final AtomicReference<String> outage = new AtomicReference<>();
  private final HttpClient http = HttpClient.newHttpClient();

  private GitHttpServer start(GitHttpServer.Builder builder) throws IOException {
    return builder.start(
        repositories,
        () -> {
          if (outage.get() != null) {
            throw new IOException(outage.get());
          }
        });
  }

  private GitHttpServer start() throws IOException {
    return start(GitHttpServer.builder());
  }

  private HttpResponse<String> get(GitHttpServer server, String path, String... headers)
      throws IOException, InterruptedException {
    return TestRequests.get(server.uri().resolve(path), headers);
  }

  /** Metrics, once they have counted a push or fetch: its client has the answer before. */
  private String metrics(GitHttpServer server, String counted) throws Exception {
    ConcurrentTasks.waitWhile(() -> !get(server, "/metrics").body().contains(counted));
    return get(server, "/metrics").body();
  }

  private HttpResponse<String> push(GitHttpServer server, String name, byte[] body)
      throws IOException, InterruptedException {
    return TestRequests.post(server.uri(), name + "/git-receive-pack", body);
  }

  @Test
  void advertises_refs_in_protocol_v0_and_capabilities_in_v2() throws Exception {
    repositories.create("a.git");
    try (GitHttpServer server = start()) {
      String path = "/a.git/info/refs?service=git-upload-pack";
      assertThat(get(server, path).body()).contains("# service=git-upload-pack", "filter");
      assertThat(get(server, path, "Git-Protocol", "version=2").body())
          .contains("version 2", "fetch=", "filter");
      assertThat(get(server, "/a.git/info/refs?service=git-receive-pack").body())
          .contains("atomic", "push-options");
    }
  }

  @Test
  void push_moves_the_ref_and_is_counted() throws Exception {
    InMemoryRepository repository = repositories.create("a.git");
    ScriptedPush push = ScriptedPush.firstCommit("file", "content".getBytes(UTF_8));
    try (GitHttpServer server = start()) {
      assertThat(push(server, "a.git", push.body()).body())
          .contains("unpack ok", "ok refs/heads/main");
      assertThat(repository.resolve("refs/heads/main")).isEqualTo(push.commit());
      assertThat(metrics(server, "jgits3_push_seconds_count{result=\"ok\"} 1"))
          .contains("jvm_memory_used_bytes", "jgits3_blockcache_lookups_total{result=\"hit\"}");
    }
  }

  @Test
  void fetch_compares_no_large_objects_which_would_take_their_memory() throws Exception {
    InMemoryRepository repository = repositories.create("a.git");
    byte[] large = RandomBytes.of(2 << 20, 1);
    ObjectId first = TestRepositories.commitFile(repository, large);
    large[0]++;
    ObjectId second = TestRepositories.commitFile(repository, large, first);
    byte[] small = Arrays.copyOf(large, 1 << 17);
    ObjectId third = TestRepositories.commitFile(repository, small);
    small[0]++;
    ObjectId fourth = TestRepositories.commitFile(repository, small, third);
    try (GitHttpServer server = start()) {
      assertThat(fetch(server, "a.git", fetch(second, 0)).body())
          .hasSizeGreaterThan(2 * large.length);
      assertThat(fetch(server, "a.git", fetch(fourth, 0)).body()).hasSizeLessThan(2 * small.length);
    }
  }

  @Test
  void first_branch_becomes_HEAD_where_pushes_create_repositories() throws Exception {
    InMemoryRepository created = repositories.create("a.git");
    InMemoryRepository prepared = repositories.create("b.git");
    ScriptedPush push = ScriptedPush.firstCommit("file", "content".getBytes(UTF_8));
    try (GitHttpServer server = start(GitHttpServer.builder().createOnPush(true))) {
      push(server, "a.git", push.body());
      assertThat(created.getFullBranch()).isEqualTo("refs/heads/main");
    }
    try (GitHttpServer server = start()) {
      push(server, "b.git", push.body());
      assertThat(prepared.getFullBranch()).isEqualTo("refs/heads/master");
    }
  }

  @Test
  void pack_over_the_limit_is_refused_with_a_reason() throws Exception {
    InMemoryRepository repository = repositories.create("a.git");
    ScriptedPush push = ScriptedPush.firstCommit("file", new byte[10_000]);
    try (GitHttpServer server = start(GitHttpServer.builder().maxPackSize(50))) {
      assertThat(push(server, "a.git", push.body()).body()).contains("unpack error Pack exceeds");
      assertThat(repository.resolve("refs/heads/main")).isNull();
      metrics(server, "jgits3_push_seconds_count{result=\"failed\"} 1");
    }
  }

  @Test
  void object_over_the_limit_is_refused_with_a_reason() throws Exception {
    InMemoryRepository repository = repositories.create("a.git");
    ScriptedPush push = ScriptedPush.firstCommit("file", new byte[10_000]);
    try (GitHttpServer server = start(GitHttpServer.builder().maxObjectSize(1_000))) {
      assertThat(push(server, "a.git", push.body()).body()).contains("Object too large");
      assertThat(repository.resolve("refs/heads/main")).isNull();
    }
  }

  @Test
  void malformed_objects_are_refused_unless_the_repository_says_otherwise() throws Exception {
    InMemoryRepository strict = repositories.create("strict.git");
    InMemoryRepository lenient = repositories.create("lenient.git");
    lenient.getConfig().setBoolean("receive", null, "fsckObjects", false);
    ScriptedPush push = ScriptedPush.firstCommit(".git", "content".getBytes(UTF_8));
    try (GitHttpServer server = start()) {
      assertThat(push(server, "strict.git", push.body()).body()).doesNotContain("unpack ok");
      assertThat(strict.resolve("refs/heads/main")).isNull();
      assertThat(push(server, "lenient.git", push.body()).body()).contains("unpack ok");
      assertThat(lenient.resolve("refs/heads/main")).isEqualTo(push.commit());
    }
  }

  @Test
  void config_of_the_administrator_holds_where_the_repository_is_silent() throws Exception {
    repositories.create("a.git");
    Config config = new Config();
    config.setBoolean("receive", null, "advertisePushOptions", false);
    try (GitHttpServer server = start(GitHttpServer.builder().config(config))) {
      assertThat(get(server, "/a.git/info/refs?service=git-receive-pack").body())
          .doesNotContain("push-options");
    }
  }

  @Test
  void services_that_are_switched_off_are_refused_with_a_reason() throws Exception {
    InMemoryRepository archive = repositories.create("archive.git");
    archive.getConfig().setBoolean("http", null, "receivepack", false);
    InMemoryRepository open = repositories.create("open.git");
    open.getConfig().setBoolean("http", null, "uploadpack", true);
    ScriptedPush push = ScriptedPush.firstCommit("file", "content".getBytes(UTF_8));
    Config config = new Config();
    config.setBoolean("http", null, "uploadpack", false);
    try (GitHttpServer server = start(GitHttpServer.builder().config(config))) {
      HttpResponse<String> asked = get(server, "/archive.git/info/refs?service=git-receive-pack");
      assertThat(asked.statusCode()).isEqualTo(403);
      assertThat(asked.body()).isEqualTo("http.receivepack is false here\n");
      assertThat(push(server, "archive.git", push.body()).statusCode()).isEqualTo(403);
      assertThat(archive.resolve("refs/heads/main")).isNull();
      assertThat(push(server, "open.git", push.body()).body()).contains("unpack ok");
      String fetch = "/info/refs?service=git-upload-pack";
      assertThat(get(server, "/archive.git" + fetch).statusCode()).isEqualTo(403);
      assertThat(get(server, "/open.git" + fetch).statusCode()).isEqualTo(200);
    }
  }

  /** A fetch in protocol v2 that claims to have as many objects that do not exist. */
  private static byte[] fetch(ObjectId want, int haves) throws IOException {
    Stream<String> claimed =
        IntStream.rangeClosed(1, haves).mapToObj(i -> "have " + "%08x".formatted(i).repeat(5));
    Stream<String> begin = Stream.of("ofs-delta", "want " + want.name());
    Stream<String> arguments = Stream.of(begin, claimed, Stream.of("done")).flatMap(all -> all);
    return gzip(GitRequests.command("fetch", arguments.toArray(String[]::new)));
  }

  private static byte[] gzip(byte[] request) throws IOException {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(body)) {
      gzip.write(request);
    }
    return body.toByteArray();
  }

  private HttpResponse<String> fetch(GitHttpServer server, String name, byte[] body)
      throws IOException, InterruptedException {
    String path = name + "/git-upload-pack";
    String[] headers = {"Content-Encoding", "gzip", "Git-Protocol", "version=2"};
    return TestRequests.post(server.uri(), path, body, headers);
  }

  @Test
  void a_fetch_may_name_many_objects_but_not_as_many_as_gzip_can_hold() throws Exception {
    InMemoryRepository small = repositories.create("small.git");
    small.getConfig().setString("http", null, "maxRequestBuffer", "64k");
    repositories.create("a.git");
    ScriptedPush push = ScriptedPush.firstCommit("file", "content".getBytes(UTF_8));
    try (GitHttpServer server = start()) {
      push(server, "small.git", push.body());
      push(server, "a.git", push.body());
      assertThat(fetch(server, "small.git", fetch(push.commit(), 1_000)).body())
          .contains("packfile", "PACK");
      assertThat(fetch(server, "small.git", fetch(push.commit(), 1_500)).body())
          .contains("ERR the request of this fetch is larger than http.maxRequestBuffer")
          .doesNotContain("PACK");
      assertThat(fetch(server, "a.git", fetch(push.commit(), 3_000)).body()).contains("PACK");
      assertThat(fetch(server, "a.git", fetch(push.commit(), 700_000)).body())
          .contains("33554432 bytes")
          .doesNotContain("PACK");
    }
  }

  @Test
  void a_fetch_that_names_more_objects_than_memory_has_room_for_is_refused() throws Exception {
    ScriptedPush push = ScriptedPush.firstCommit("file", "content".getBytes(UTF_8));
    try (S3RepositoryManager manager =
            TestRepositories.manager(
                new MemoryObjectStore(), "[s3 \"receive\"]\nmemoryLimit = 1m");
        GitHttpServer server = GitHttpServer.builder().start(manager)) {
      manager.createRepository("r").close();
      push(server, "r.git", push.body());
      assertThat(fetch(server, "r.git", fetch(push.commit(), 8_000)).body())
          .contains("ERR a fetch that names so many objects takes some 2 MiB of memory")
          .doesNotContain("PACK");
      assertThat(fetch(server, "r.git", fetch(push.commit(), 4_000)).body()).contains("PACK");
      awaitNothingTaken(manager);
    }
  }

  /** A client may have its answer before the handle is closed. */
  private static void awaitNothingTaken(S3RepositoryManager manager) {
    ConcurrentTasks.waitWhile(() -> manager.receiveMemory().held() > 0);
  }

  @Test
  void a_fetch_that_sends_more_objects_than_memory_holds_is_refused() throws Exception {
    try (S3RepositoryManager manager =
            TestRepositories.manager(
                new MemoryObjectStore(), "[s3 \"receive\"]\nmemoryLimit = 1m");
        S3Repository repository = manager.createRepository("r");
        GitHttpServer server = GitHttpServer.builder().start(manager)) {
      ObjectId small = TestRepositories.commitBlobs(repository, 5_000);
      ObjectId large = TestRepositories.commitBlobs(repository, 7_000);
      assertThat(fetch(server, "r.git", fetch(large, 0)).body())
          .contains("packfile\n")
          .contains(
              "\u0003a fetch of more than 6000 objects, far fewer after jgit-s3 gc, takes some 2 MiB")
          .doesNotContain("PACK");
      assertThat(fetch(server, "r.git", fetch(small, 0)).body()).contains("PACK");
      awaitNothingTaken(manager);
      metrics(server, "jgits3_fetch_seconds_count{result=\"failed\"} 1");
    }
  }

  @Test
  void a_fetch_that_walks_through_more_commits_than_memory_holds_is_refused() throws Exception {
    try (S3RepositoryManager manager =
            TestRepositories.manager(
                new MemoryObjectStore(), "[s3 \"receive\"]\nmemoryLimit = 1m");
        S3Repository repository = manager.createRepository("r");
        GitHttpServer server = GitHttpServer.builder().start(manager)) {
      List<ObjectId> whole = TestRepositories.history(repository, "whole", 8_000);
      List<ObjectId> other = TestRepositories.history(repository, "shallow", 10);
      assertThat(fetch(server, "r.git", deepen(whole, other)).body())
          .contains("ERR a fetch that walks through more than 6000 objects, far fewer after")
          .doesNotContain("PACK");
      assertThat(fetch(server, "r.git", deepen(other, other)).body()).contains("PACK");
      awaitNothingTaken(manager);
      metrics(server, "jgits3_fetch_seconds_count{result=\"failed\"} 1");
    }
  }

  /** As a client does that has only the tips of many branches, and asks for their history. */
  @Test
  void a_fetch_may_name_ids_more_than_once() throws Exception {
    InMemoryRepository repository = repositories.create("a.git");
    String want = "want " + TestRepositories.commitFile(repository, new byte[1]).name();
    Stream<String> ids = IntStream.range(0, 1_500).mapToObj(i -> "%08x".formatted(i).repeat(5));
    Stream<String> named = ids.flatMap(id -> Stream.of("shallow " + id, "have " + id, want));
    String[] lines = Stream.concat(named, Stream.of("done")).toArray(String[]::new);
    try (GitHttpServer server = start()) {
      assertThat(fetch(server, "a.git", gzip(GitRequests.command("fetch", lines))).body())
          .contains("PACK");
    }
  }

  @Test
  void a_client_with_more_objects_than_memory_holds_is_served_after_gc() throws Exception {
    try (S3RepositoryManager manager =
            TestRepositories.manager(
                new MemoryObjectStore(), "[s3 \"receive\"]\nmemoryLimit = 500k");
        S3Repository repository = manager.createRepository("r");
        GitHttpServer server = GitHttpServer.builder().start(manager)) {
      ObjectId has = TestRepositories.commitBlobs(repository, 6_100);
      TestRepositories.createRef(repository, "refs/heads/main", has);
      ObjectId wanted = TestRepositories.commitFile(repository, new byte[1], has);
      byte[] request =
          GitRequests.command(
              "fetch", "thin-pack", "want " + wanted.name(), "have " + has.name(), "done");
      assertThat(fetch(server, "r.git", gzip(request)).body())
          .contains("a fetch that walks through more than 3000 objects");
      manager.maintenance("r").collectGarbage(NullProgressMonitor.INSTANCE);
      assertThat(fetch(server, "r.git", gzip(request)).body()).contains("PACK");
    }
  }

  @Test
  void a_fetch_that_walks_through_a_history_once_for_each_want_is_refused() throws Exception {
    InMemoryRepository repository = repositories.create("a.git");
    repository.getConfig().setInt("uploadpack", null, "maxWalkedCommits", 10_000);
    List<ObjectId> history = TestRepositories.history(repository, "main", 200);
    String[] lines =
        Stream.concat(
                history.stream().skip(100).map(want -> "want " + want.name()),
                Stream.of("have " + history.get(0).name(), "have " + "12".repeat(20)))
            .toArray(String[]::new);
    try (GitHttpServer server = start()) {
      assertThat(fetch(server, "a.git", gzip(GitRequests.command("fetch", lines))).body())
          .contains("ERR to find what this client lacks takes a walk through more than 10000")
          .doesNotContain("PACK");
      repository.getConfig().setInt("uploadpack", null, "maxWalkedCommits", 20_000);
      assertThat(fetch(server, "a.git", gzip(GitRequests.command("fetch", lines))).body())
          .contains("ready", "PACK");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"deepen 2147483647", "deepen-not refs/heads/other"})
  void a_shallow_clone_gets_the_history_that_a_clone_gets(String depth) throws Exception {
    try (S3RepositoryManager manager =
            TestRepositories.manager(
                new MemoryObjectStore(), "[s3 \"receive\"]\nmemoryLimit = 1m");
        S3Repository repository = manager.createRepository("r");
        GitHttpServer server = GitHttpServer.builder().start(manager)) {
      ObjectId other = TestRepositories.history(repository, "other", 1).get(0);
      TestRepositories.createRef(repository, "refs/heads/other", other);
      List<ObjectId> history = TestRepositories.history(repository, "whole", 4_000);
      String last = history.get(3_999).name();
      byte[] request =
          GitRequests.command(
              "fetch", "shallow " + last, depth, "want " + last, "have " + last, "done");
      assertThat(fetch(server, "r.git", gzip(request)).body()).contains("PACK");
      awaitNothingTaken(manager);
    }
  }

  @Test
  void what_follows_a_fetch_is_left_unread() throws Exception {
    try (S3RepositoryManager manager = TestRepositories.manager(new MemoryObjectStore(), "");
        S3Repository repository = manager.createRepository("r");
        GitHttpServer server = GitHttpServer.builder().start(manager)) {
      ObjectId commit = TestRepositories.history(repository, "main", 1).get(0);
      TestRepositories.createRef(repository, "refs/heads/main", commit);
      ByteArrayOutputStream request = new ByteArrayOutputStream();
      request.writeBytes(GitRequests.fetch(commit));
      request.write('\n');
      assertThat(fetch(server, "r.git", gzip(request.toByteArray())).body())
          .contains("PACK")
          .endsWith("0000");
    }
  }

  /** A fetch of two branches by a client that has the last commit of one, and the other whole. */
  private static byte[] deepen(List<ObjectId> whole, List<ObjectId> shallow) throws IOException {
    String end = shallow.get(shallow.size() - 1).name();
    String last = whole.get(whole.size() - 1).name();
    byte[] command =
        GitRequests.command(
            "fetch",
            "shallow " + end,
            "deepen 1",
            "deepen-relative",
            "want " + last,
            "want " + end,
            "have " + last,
            "have " + end,
            "done");
    return gzip(command);
  }

  @Test
  void paths_that_are_no_repository_are_one_line_404() throws Exception {
    repositories.create("a.git");
    try (GitHttpServer server = start()) {
      for (String path :
          new String[] {
            "/",
            "/a.git",
            "/a.git/HEAD",
            "/A.git/info/refs?service=git-upload-pack",
            "/none.git/info/refs?service=git-upload-pack"
          }) {
        HttpResponse<String> answer = get(server, path);
        assertThat(answer.statusCode()).as(path).isEqualTo(404);
        assertThat(answer.body()).as(path).hasLineCount(1).doesNotContain("<");
      }
    }
  }

  @Test
  void a_repository_has_no_other_address_than_its_own() throws Exception {
    repositories.create("a.git");
    repositories.create("d/a.git");
    try (GitHttpServer server = start()) {
      String rest = "/info/refs?service=git-upload-pack";
      assertThat(get(server, "/a.git" + rest).statusCode()).isEqualTo(200);
      assertThat(get(server, "/d/a.git" + rest).statusCode()).isEqualTo(200);
      assertThat(get(server, "/%61.git" + rest).statusCode()).isEqualTo(200);
      for (String alias :
          List.of(
              "/%2fa.git",
              "/d%2Fa.git",
              "//a.git",
              "/d//a.git",
              "/a;x.git",
              "/a.git;x",
              "/./a.git",
              "/d/%2E./a.git")) {
        URI uri = URI.create("http://" + server.uri().getAuthority() + alias + rest);
        HttpResponse<String> answer = TestRequests.get(uri);
        assertThat(answer.statusCode()).as(alias).isEqualTo(404);
        assertThat(answer.body()).as(alias).isEqualTo("no such path\n");
      }
    }
  }

  @Test
  void health_is_told_while_as_many_clients_push_as_may() throws Exception {
    InMemoryRepository repository = repositories.create("a.git");
    ScriptedPush push = ScriptedPush.firstCommit("file", "content".getBytes(UTF_8));
    byte[] body = push.body();
    try (GitHttpServer server = start(GitHttpServer.builder().maxRequests(1));
        Socket client = halfSent(server.uri(), body)) {
      String path = "/a.git/info/refs?service=git-upload-pack";
      CompletableFuture<HttpResponse<String>> fetch =
          http.sendAsync(
              HttpRequest.newBuilder(server.uri().resolve(path)).build(),
              HttpResponse.BodyHandlers.ofString());
      assertThat(get(server, "/healthz").statusCode()).isEqualTo(200);
      assertThat(get(server, "/metrics").statusCode()).isEqualTo(200);
      assertThat(fetch).isNotDone();
      client.getOutputStream().write(body, body.length / 2, body.length - body.length / 2);
      client.getOutputStream().flush();
      assertThat(fetch.get(2, TimeUnit.MINUTES).statusCode()).isEqualTo(200);
    }
    assertThat(repository.resolve("refs/heads/main")).isEqualTo(push.commit());
  }

  @Test
  void a_request_beyond_those_that_may_wait_is_refused_at_once_in_one_line() throws Exception {
    repositories.create("a.git");
    byte[] body = ScriptedPush.firstCommit("file", "content".getBytes(UTF_8)).body();
    String path = "/a.git/info/refs?service=git-receive-pack";
    try (GitHttpServer server = start(GitHttpServer.builder().maxRequests(1));
        Socket client = halfSent(server.uri(), body)) {
      List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
      for (int i = 0; i < 11; i++) {
        HttpRequest request = HttpRequest.newBuilder(server.uri().resolve(path)).build();
        answers.add(http.sendAsync(request, HttpResponse.BodyHandlers.ofString()));
      }
      CompletableFuture.anyOf(answers.toArray(CompletableFuture<?>[]::new)).join();
      HttpResponse<String> refused =
          answers.stream().filter(CompletableFuture::isDone).findFirst().orElseThrow().join();
      assertThat(refused.statusCode()).isEqualTo(503);
      assertThat(refused.headers().firstValue("Retry-After")).contains("10");
      assertThat(refused.headers().firstValue("Content-Type").orElse("")).startsWith("text/plain");
      assertThat(refused.body()).isEqualTo("the server is busy: too many requests, try again\n");
      assertThat(answers.stream().filter(CompletableFuture::isDone)).hasSize(1);
      assertThat(get(server, "/healthz").statusCode()).isEqualTo(200);
      client.getOutputStream().write(body, body.length / 2, body.length - body.length / 2);
      client.getOutputStream().flush();
      for (CompletableFuture<HttpResponse<String>> answer : answers) {
        assertThat(answer.get().statusCode()).isEqualTo(answer.get() == refused ? 503 : 200);
      }
    }
  }

  @Test
  void as_many_requests_go_on_as_the_heap_has_room_for() {
    assertThat(GitRequestLimit.thatFit(16L << 20)).isEqualTo(2);
    assertThat(GitRequestLimit.thatFit(256L << 20)).isEqualTo(16);
    assertThat(GitRequestLimit.thatFit(1L << 30)).isEqualTo(64);
    assertThat(GitRequestLimit.thatFit(32L << 30)).isEqualTo(96);
  }

  @Test
  void health_of_the_store_is_no_health_of_the_process() throws Exception {
    try (GitHttpServer server = start()) {
      assertThat(get(server, "/healthz").body()).isEqualTo("ok\n");
      assertThat(get(server, "/healthz/store").body()).isEqualTo("ok\n");
    }
    outage.set("gone");
    try (GitHttpServer server = start()) {
      HttpResponse<String> answer = get(server, "/healthz/store");
      assertThat(answer.statusCode()).isEqualTo(503);
      assertThat(answer.body()).isEqualTo("the store does not answer\n");
      assertThat(get(server, "/healthz").body()).isEqualTo("ok\n");
    }
  }

  @Test
  void health_is_told_while_the_store_is_silent_which_is_asked_once() throws Exception {
    CountDownLatch silence = new CountDownLatch(1);
    AtomicInteger asked = new AtomicInteger();
    IoRunnable check =
        () -> {
          asked.incrementAndGet();
          awaitEnd(silence);
        };
    try (GitHttpServer server = GitHttpServer.builder().start(repositories, check)) {
      List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        HttpRequest request =
            HttpRequest.newBuilder(server.uri().resolve("/healthz/store")).build();
        answers.add(http.sendAsync(request, HttpResponse.BodyHandlers.ofString()));
      }
      assertThat(get(server, "/healthz").statusCode()).isEqualTo(200);
      for (CompletableFuture<HttpResponse<String>> answer : answers) {
        assertThat(answer.get(2, TimeUnit.MINUTES).statusCode()).isEqualTo(503);
      }
      assertThat(asked).hasValue(1);
      silence.countDown();
      ConcurrentTasks.waitWhile(() -> get(server, "/healthz/store").statusCode() != 200);
    }
  }

  private static void awaitEnd(CountDownLatch silence) throws IOException {
    try {
      silence.await();
    } catch (InterruptedException e) {
      throw new IOException("closed", e);
    }
  }

  @Test
  void monitors_have_an_address_without_password_and_repositories(@TempDir Path dir)
      throws Exception {
    repositories.create("a.git");
    Path users = Files.writeString(dir.resolve("users"), TestUsers.line("ada", "right"));
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    GitHttpServer.Builder builder =
        GitHttpServer.builder().users(UsersFile.open(users)).monitor(any);
    try (GitHttpServer server = start(builder)) {
      URI monitor = server.monitorUri().orElseThrow();
      assertThat(status(monitor.resolve("/healthz"))).isEqualTo(200);
      assertThat(status(monitor.resolve("/healthz/store"))).isEqualTo(200);
      assertThat(status(monitor.resolve("/metrics"))).isEqualTo(200);
      assertThat(status(monitor.resolve("/a.git/info/refs?service=git-upload-pack")))
          .isEqualTo(404);
      for (String path : List.of("/", "/metrics/", "/metrics/x", "/healthz/", "/healthz/x")) {
        assertThat(status(monitor.resolve(path))).as(path).isEqualTo(404);
      }
      for (String method : List.of("POST", "PUT", "DELETE", "OPTIONS", "TRACE")) {
        assertThat(status(method, monitor.resolve("/metrics"))).as(method).isEqualTo(405);
      }
    }
  }

  @Test
  void clients_are_not_told_what_monitors_have_an_address_for() throws Exception {
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    try (GitHttpServer server = start(GitHttpServer.builder().monitor(any))) {
      assertThat(get(server, "/healthz").statusCode()).isEqualTo(200);
      assertThat(get(server, "/metrics").statusCode()).isEqualTo(404);
      assertThat(get(server, "/healthz/store").statusCode()).isEqualTo(404);
    }
  }

  private int status(URI uri) throws IOException, InterruptedException {
    return status("GET", uri);
  }

  private int status(String method, URI uri) throws IOException, InterruptedException {
    HttpRequest.BodyPublisher nothing = HttpRequest.BodyPublishers.noBody();
    HttpRequest request = HttpRequest.newBuilder(uri).method(method, nothing).build();
    return http.send(request, HttpResponse.BodyHandlers.ofString()).statusCode();
  }

  @Test
  void address_that_others_can_reach_needs_users_or_an_explicit_anonymous() throws Exception {
    InetSocketAddress everywhere = new InetSocketAddress(0);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> start(GitHttpServer.builder().listen(everywhere)))
        .withMessageContaining("--users")
        .withMessageContaining("--anonymous");
  }

  @Test
  void port_in_use_is_one_line() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      InetSocketAddress address =
          new InetSocketAddress(taken.getInetAddress(), taken.getLocalPort());
      assertThatIOException()
          .isThrownBy(() -> start(GitHttpServer.builder().listen(address)))
          .withMessage(
              "cannot listen on localhost:%d: Address already in use", taken.getLocalPort());
    }
  }

  @Test
  void users_get_in_with_their_password_only(@TempDir Path dir) throws Exception {
    repositories.create("a.git");
    Path users = dir.resolve("users");
    Files.writeString(users, TestUsers.line("ada", "right"));
    String path = "/a.git/info/refs?service=git-receive-pack";
    try (GitHttpServer server = start(GitHttpServer.builder().users(UsersFile.open(users)))) {
      HttpResponse<String> nobody = get(server, path);
      assertThat(nobody.statusCode()).isEqualTo(401);
      assertThat(nobody.headers().firstValue("WWW-Authenticate"))
          .hasValueSatisfying(challenge -> assertThat(challenge).startsWith("Basic "));
      assertThat(get(server, "/metrics").statusCode()).isEqualTo(401);
      assertThat(get(server, "/healthz").statusCode()).isEqualTo(200);
      assertThat(get(server, path, basic("ada:wrong")).statusCode()).isEqualTo(401);
      assertThat(get(server, path, basic("eve:right")).statusCode()).isEqualTo(401);
      assertThat(get(server, path, "Authorization", "Basic ???").statusCode()).isEqualTo(401);
      assertThat(get(server, path, basic("ada:right")).statusCode()).isEqualTo(200);
    }
  }

  @Test
  void passwords_beyond_what_can_be_checked_are_put_off(@TempDir Path dir) throws Exception {
    repositories.create("a.git");
    Path file = Files.writeString(dir.resolve("users"), TestUsers.line("ada", "right"));
    BoundedWork checks =
        new BoundedWork("too many passwords to check", 1, 1, Duration.ofMinutes(5));
    UsersFile users = UsersFile.open(file, checks);
    CountDownLatch busy = new CountDownLatch(1);
    String path = "/a.git/info/refs?service=git-receive-pack";
    try (GitHttpServer server = start(GitHttpServer.builder().maxRequests(1).users(users))) {
      assertThat(get(server, path, basic("ada:right")).statusCode()).isEqualTo(200);
      CountDownLatch begun = new CountDownLatch(1);
      CompletableFuture<Boolean> running =
          checks.submit(
              "other",
              () -> {
                begun.countDown();
                return await(busy);
              });
      assertThat(await(begun)).isTrue();
      CompletableFuture<Boolean> waiting = checks.submit("127.0.0.1", () -> await(busy));
      HttpResponse<String> refused = get(server, path, basic("ada:wrong"));
      assertThat(refused.statusCode()).isEqualTo(503);
      assertThat(refused.headers().firstValue("Retry-After")).hasValue("1");
      assertThat(refused.body())
          .isEqualTo("the server is busy: too many passwords to check, try again\n");
      assertThat(get(server, path, basic("ada:right")).statusCode()).isEqualTo(200);
      assertThat(get(server, "/healthz").statusCode()).isEqualTo(200);
      busy.countDown();
      assertThat(running.get() && waiting.get()).isTrue();
      assertThat(get(server, path, basic("ada:wrong")).statusCode()).isEqualTo(401);
    }
  }

  private static boolean await(CountDownLatch latch) {
    try {
      return latch.await(5, TimeUnit.MINUTES);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  @Test
  void push_in_flight_finishes_during_shutdown() throws Exception {
    InMemoryRepository repository = repositories.create("a.git");
    ScriptedPush push = ScriptedPush.firstCommit("file", "content".getBytes(UTF_8));
    GitHttpServer server = start();
    URI uri = server.uri();
    try (Socket client = halfSent(uri, push.body())) {
      CompletableFuture<Void> closed = CompletableFuture.runAsync(server::close);
      RefusedConnections.await(uri);
      assertThat(closed).isNotDone();

      byte[] body = push.body();
      client.getOutputStream().write(body, body.length / 2, body.length - body.length / 2);
      client.getOutputStream().flush();
      String answer = new String(client.getInputStream().readAllBytes(), UTF_8);
      assertThat(answer).startsWith("HTTP/1.1 200").contains("ok refs/heads/main");
      closed.get(2, TimeUnit.MINUTES);
    }
    assertThat(repository.resolve("refs/heads/main")).isEqualTo(push.commit());
  }

  @Test
  void push_that_does_not_finish_in_time_changes_nothing() throws Exception {
    InMemoryRepository repository = repositories.create("a.git");
    ScriptedPush push = ScriptedPush.firstCommit("file", "content".getBytes(UTF_8));
    GitHttpServer server = start(GitHttpServer.builder().shutdownLimit(Duration.ofMillis(200)));
    try (Socket client = halfSent(server.uri(), push.body())) {
      CompletableFuture.runAsync(server::close).get(2, TimeUnit.MINUTES);
      // Cut off or, if the server got that far, told that the pack was not unpacked.
      assertThat(answerOrReset(client)).doesNotContain("unpack ok", "ok refs/heads/main");
    }
    assertThat(repository.resolve("refs/heads/main")).isNull();
  }

  /** Answer of the server; empty if it closes before it has read everything. */
  private static String answerOrReset(Socket client) throws IOException {
    try {
      return new String(client.getInputStream().readAllBytes(), UTF_8);
    } catch (SocketException e) {
      assertThat(e).hasMessageContaining("reset");
      return "";
    }
  }

  /** Sends a push up to the middle of its body, and returns once the server is reading it. */
  private static Socket halfSent(URI uri, byte[] body) throws IOException {
    Socket client = new Socket(uri.getHost(), uri.getPort());
    String head =
        "POST /a.git/git-receive-pack HTTP/1.1\r\nHost: %s\r\nContent-Type: %s\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n"
            .formatted(uri.getAuthority(), PUSH_TYPE, body.length);
    client.getOutputStream().write(head.getBytes(UTF_8));
    client.getOutputStream().flush();
    byte[] goAhead = "HTTP/1.1 100 Continue\r\n\r\n".getBytes(UTF_8);
    assertThat(client.getInputStream().readNBytes(goAhead.length)).isEqualTo(goAhead);
    client.getOutputStream().write(body, 0, body.length / 2);
    client.getOutputStream().flush();
    return client;
  }

  private static String[] basic(String pair) {
    return new String[] {"Authorization", TestRequests.basic(pair)};
  }
}
