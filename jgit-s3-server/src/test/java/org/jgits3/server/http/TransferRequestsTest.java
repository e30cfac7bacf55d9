// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.eclipse.jgit.internal.storage.dfs.DfsBlockCache;
import org.eclipse.jgit.internal.storage.dfs.DfsBlockCacheConfig;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.RefUpdate;
import org.eclipse.jgit.transport.PacketLineOut;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.S3Settings;
import org.jgits3.TestRepositories;
import org.jgits3.internal.pack.file.BlockCache;
import org.jgits3.internal.store.metrics.ObservedObjectStore;
import org.jgits3.internal.store.metrics.RequestCounts;
import org.jgits3.internal.store.read.ReadAhead;
import org.jgits3.store.ConcurrentTasks;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.RequestKind;
import org.jgits3.store.RequestOutcome;
import org.jgits3.store.StoreContent;
import org.jgits3.store.StoreKind;
import org.jgits3.testing.EachStore;
import org.jgits3.testing.ForgedPack;
import org.jgits3.testing.GitClient;
import org.jgits3.testing.Holds;
import org.jgits3.testing.PackBytes;
import org.jgits3.testing.RandomSeed;
import org.jgits3.testing.aid.GitRequests;
import org.jgits3.testing.aid.RandomBytes;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests of fetches and pushes of real Git to the store, on a warm server. */
@EachStore
class TransferRequestsTest {
  private static final Set<String> BACKGROUND = Set.of("jgit-s3-compaction", "jgit-s3-maintenance");

  @Parameter StoreKind kind;
  @TempDir Path directory;
  @TempDir Path scratch;
  private final RequestCounts counts = new RequestCounts();
  @AutoClose private S3RepositoryManager manager;
  @AutoClose private S3RepositoryManager elsewhere;
  @AutoClose private GitHttpServer server;
  private GitClient work;

  /** Opens the store of the test once more. */
  private ObjectStore store() throws IOException {
    return kind.open(directory);
  }

  @BeforeEach
  void serve() throws Exception {
    String settings = "[init]\ndefaultBranch = main";
    manager = TestRepositories.manager(new ObservedObjectStore(store(), this::count), settings);
    elsewhere = TestRepositories.manager(store(), settings);
    manager.createRepository("r").close();
    server = GitHttpServer.builder().start(manager);
    GitClient git = GitClient.in(scratch);
    git.run("clone", "-q", server.uri() + "r.git", "work");
    work = git.at("work");
    push("first");
  }

  /** Leaves out what happens in the background, whenever that may be. */
  private void count(RequestKind kind, RequestOutcome outcome, long bytes, long nanos) {
    if (!BACKGROUND.contains(Thread.currentThread().getName())) {
      counts.requestEnded(kind, outcome, bytes, nanos);
    }
  }

  private void commit(String message) throws IOException {
    Files.writeString(scratch.resolve("work/file"), message);
    work.run("add", "file");
    work.run("commit", "-q", "-m", message);
  }

  private RequestCounts.Snapshot push(String message) throws IOException {
    commit(message);
    return cost("push", "-q", "origin", "HEAD:main");
  }

  private RequestCounts.Snapshot cost(String... command) {
    return cost(work, command);
  }

  private RequestCounts.Snapshot cost(GitClient client, String... command) {
    RequestCounts.Snapshot before = counts.snapshot();
    client.run(command);
    return counts.snapshot().since(before);
  }

  @Holds(
      "NamedRepositories, TransferPolicy: Capabilities of protocol 2 come from a configuration at "
          + "most 10 seconds old. One that any process offered is accepted.")
  @Test
  void a_server_offers_what_was_configured_elsewhere_without_being_told() throws Exception {
    assumeTrue(kind == StoreKind.DIRECTORY, "waits for seconds, and for no store");
    configure(elsewhere, "uploadpack", "allowRefInWant", "true");
    ConcurrentTasks.waitWhile(() -> !capabilities().contains("ref-in-want"));
  }

  @Test
  void a_small_push_is_a_validation_a_bundle_and_a_write_of_packs_and_refs() throws Exception {
    assertThat(push("second")).hasToString("3 requests: 1 GET, 1 PUT_IF, 1 PUT");
    assertThat(push("third")).hasToString("3 requests: 1 GET, 1 PUT_IF, 1 PUT");
  }

  @Test
  void a_small_push_is_as_cheap_once_garbage_was_removed() throws Exception {
    push("second");
    cost("push", "-q", "-f", "origin", "HEAD~1:main");
    configure(manager, "gc", "pruneExpire", "now");
    try (S3Repository r = manager.openRepository("r")) {
      manager.maintenance("r").collectGarbage(NullProgressMonitor.INSTANCE);
      manager.maintenance("r").collectGarbage(NullProgressMonitor.INSTANCE);
      assertThat(r.manifest().dropped()).isPositive();
    }
    work.run("reset", "-q", "--hard", "HEAD~1");
    push("third"); // the first one reads the index of what was collected

    assertThat(push("fourth")).hasToString("3 requests: 1 GET, 1 PUT_IF, 1 PUT");
  }

  @Test
  void a_push_without_a_pack_is_a_validation_and_a_write() {
    assertThat(cost("push", "-q", "origin", "HEAD:refs/heads/other"))
        .hasToString("2 requests: 1 GET, 1 PUT_IF");
    assertThat(cost("push", "-q", "origin", ":refs/heads/other"))
        .hasToString("2 requests: 1 GET, 1 PUT_IF");
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "2"})
  void a_fetch_with_nothing_new_is_one_request(String version) {
    assertThat(cost("-c", "protocol.version=" + version, "fetch", "-q"))
        .hasToString("1 request: 1 GET");
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "2"})
  void a_listing_of_some_refs_is_one_request(String version) {
    assertThat(cost("-c", "protocol.version=" + version, "ls-remote", "origin", "refs/heads/m*"))
        .hasToString("1 request: 1 GET");
  }

  @Test
  void a_fetch_of_what_was_just_pushed_here_reads_no_object() throws Exception {
    work.run("clone", "-q", server.uri() + "r.git", "../other");
    push("second");
    assertThat(cost(work.at("../other"), "fetch", "-q"))
        .as("for the request that lists refs; the one that fetches names objects")
        .hasToString("1 request: 1 GET");
  }

  @Holds(
      "S3RefDatabase, TransferPolicy: No fetch is answered from refs older than the request, "
          + "except object ids, and tags that follow them")
  @Test
  void a_fetch_limited_to_reachable_objects_rests_on_refs_of_its_own() throws Exception {
    configure(manager, "uploadpack", "allowAnySHA1InWant", "false");
    work.run("clone", "-q", server.uri() + "r.git", "../other");
    push("second");
    assertThat(cost(work.at("../other"), "fetch", "-q")).hasToString("2 requests: 2 GET");
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "2"})
  void a_fetch_sees_what_was_pushed_elsewhere_the_moment_before(String version) throws Exception {
    work.run("fetch", "-q");
    try (GitHttpServer there = GitHttpServer.builder().start(elsewhere)) {
      work.run("clone", "-q", there.uri() + "r.git", "../other");
      GitClient other = work.at("../other");
      other.commitFile("elsewhere", "pushed elsewhere");
      other.run("push", "-q", "origin", "HEAD:main");
      work.run("-c", "protocol.version=" + version, "fetch", "-q");
      assertThat(work.run("rev-parse", "origin/main")).isEqualTo(other.run("rev-parse", "HEAD"));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "2"})
  void a_listing_of_refs_asks_nothing_where_they_may_be_as_old(String version) throws Exception {
    try (S3RepositoryManager lazy =
            TestRepositories.manager(
                new ObservedObjectStore(store(), this::count), "[s3 \"refs\"]\nvalidate = 3600 s");
        GitHttpServer there = GitHttpServer.builder().start(lazy)) {
      String[] list = {"-c", "protocol.version=" + version, "ls-remote", there.uri() + "r.git"};
      assertThat(cost(list).total()).isPositive();
      assertThat(cost(list).total()).isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "2"})
  void a_fetch_finds_a_ref_that_was_made_elsewhere_the_moment_before(String version)
      throws Exception {
    push("second");
    String first = work.run("rev-parse", "HEAD~1").strip();
    String second = work.run("rev-parse", "HEAD").strip();
    try (S3Repository there = elsewhere.openRepository("r")) {
      TestRepositories.createRef(there, "refs/tags/until", ObjectId.fromString(first));
    }
    // A client fetches here that had the advertisement from the other process.
    String until = "deepen-not refs/tags/until";
    byte[] body;
    if (version.equals("2")) {
      body = GitRequests.command("fetch", "want " + second, until, "done");
    } else {
      ByteArrayOutputStream lines = new ByteArrayOutputStream();
      lines.writeBytes(
          GitRequests.of(
              out -> {
                out.writeString("want " + second + " deepen-not");
                out.writeString(until);
              }));
      new PacketLineOut(lines).writeString("done");
      body = lines.toByteArray();
    }
    RequestCounts.Snapshot before = counts.snapshot();
    assertThat(answerTo("git-upload-pack", "version=" + version, body))
        .contains("shallow " + second);
    assertThat(counts.snapshot().since(before)).hasToString("1 request: 1 GET");
  }

  @ParameterizedTest
  @ValueSource(strings = {"allowRefInWant", "allowFilter"})
  void a_fetch_may_use_an_offered_feature_switched_off_elsewhere(String key) throws Exception {
    push("second");
    configure(manager, "uploadpack", key, "true");
    String offered = capabilities();
    configure(elsewhere, "uploadpack", key, "false");
    assertThat(capabilities()).isEqualTo(offered); // by this server, which was not told yet

    work.run(
        "-c",
        "protocol.version=2",
        "clone",
        "-q",
        "--filter=blob:none",
        "--no-checkout",
        server.uri() + "r.git",
        "../partial");
    assertThat(work.at("../partial").run("rev-parse", "HEAD"))
        .isEqualTo(work.run("rev-parse", "HEAD"));
  }

  @Test
  void a_ref_that_a_fetch_wants_by_name_is_as_of_the_request() throws Exception {
    push("second");
    String first = work.run("rev-parse", "HEAD~1").strip();
    configure(manager, "uploadpack", "allowRefInWant", "true");
    try (S3Repository there = elsewhere.openRepository("r")) {
      TestRepositories.createRef(there, "refs/heads/wanted", ObjectId.fromString(first));
    }
    byte[] body = GitRequests.command("fetch", "want-ref refs/heads/wanted", "done");
    RequestCounts.Snapshot before = counts.snapshot();
    assertThat(answerTo("git-upload-pack", "version=2", body))
        .contains(first + " refs/heads/wanted");
    assertThat(counts.snapshot().since(before)).hasToString("1 request: 1 GET");
  }

  @Test
  void protocol_2_is_spoken_with_a_client_to_which_it_was_offered() throws Exception {
    String offered = capabilities();
    assertThat(offered).contains("version 2");
    configure(manager, "protocol", "version", "0");
    byte[] body = GitRequests.of(lines -> lines.writeString("command=ls-refs"));
    assertThat(answerTo("git-upload-pack", "version=2", body)).contains("refs/heads/main");
  }

  /** Sets a key of the repository's configuration, in the process of a manager. */
  static void configure(S3RepositoryManager manager, String section, String key, String value)
      throws Exception {
    try (S3Repository r = manager.openRepository("r")) {
      r.getConfig().load();
      TestRepositories.configure(r, section, key, value);
    }
  }

  /** Capabilities that the server offers to clients of protocol version 2. */
  String capabilities() throws Exception {
    URI refs = server.uri().resolve("/r.git/info/refs?service=git-upload-pack");
    return TestRequests.get(refs, "Git-Protocol", "version=2").body();
  }

  @Test
  void a_cold_clone_after_a_collection_is_four_requests_and_one_per_range() throws Exception {
    byte[] large = RandomBytes.of(3 << 20, 1);
    Files.write(scratch.resolve("work/large"), large);
    work.run("add", "large");
    push("large");
    manager.maintenance("r").collectGarbage(NullProgressMonitor.INSTANCE);

    int range = 256 << 10;
    Config config = new Config();
    config.setInt("core", "dfs", "streamBuffer", range * ReadAhead.IN_FLIGHT);
    DfsBlockCache.reconfigure(BlockCache.configuration(config, Runtime.getRuntime().maxMemory()));
    try (S3RepositoryManager cold =
            new S3RepositoryManager(
                new ObservedObjectStore(store(), this::count), S3Settings.from(config, "test"));
        GitHttpServer fresh = GitHttpServer.builder().start(cold)) {
      RequestCounts.Snapshot cost = cost("clone", "-q", fresh.uri() + "r.git", "../cold");
      long ranges = (packBytes() + range - 1) / range;
      assertThat(ranges).isGreaterThan(10);
      assertThat(cost.total()).as(cost + ", of " + ranges).isLessThanOrEqualTo(4 + ranges);
    }
  }

  @Test
  void a_cold_clone_after_300_pushes_is_four_requests_and_one_per_pack() throws Exception {
    assumeTrue(
        kind == StoreKind.DIRECTORY || RandomSeed.count(0, 1) == 1,
        "the requests are those of a directory");
    elsewhere.maintainInBackground();
    try (S3Repository many = elsewhere.createRepository("many")) {
      ObjectId last = TestRepositories.commit(many, "first");
      for (int i = 0; i < 300; i++) {
        last = TestRepositories.commit(many, "push " + i, last);
        TestRepositories.update(many, "refs/heads/main", last);
      }
      // compaction goes on in the background
      ConcurrentTasks.waitWhile(() -> many.manifest().packs().size() > 30);
    }
    DfsBlockCache.reconfigure(new DfsBlockCacheConfig());
    try (S3RepositoryManager cold =
            TestRepositories.manager(new ObservedObjectStore(store(), this::count));
        GitHttpServer fresh = GitHttpServer.builder().start(cold);
        S3Repository many = elsewhere.openRepository("many")) {
      int packs = many.manifest().packs().size();
      RequestCounts.Snapshot cost = cost("clone", "-q", fresh.uri() + "many.git", "../cold");
      assertThat(work.at("../cold").run("rev-list", "--count", "HEAD")).isEqualTo("301");
      assertThat(cost.total()).as(cost + ", of " + packs).isLessThanOrEqualTo(4L + packs);
    }
  }

  private long packBytes() throws IOException {
    try (S3Repository r = elsewhere.openRepository("r")) {
      return r.manifest().packs().stream().mapToLong(pack -> pack.files().get("pack").size()).sum();
    }
  }

  @Test
  void a_push_that_the_repository_refuses_publishes_nothing() throws Exception {
    configure(manager, "receive", "denyNonFastForwards", "true");
    try (S3Repository r = manager.openRepository("r")) {
      work.run("commit", "-q", "--amend", "-m", "changed");
      assertThat(work.attempt("push", "-q", "-f", "origin", "HEAD:main").exitCode()).isNotZero();
      assertThat(r.manifest().packs()).hasSize(1);
    }
  }

  @Holds(
      "PeekedCommands, ObservedReceivePack: A verdict rests on its own write, or on a read that "
          + "began after the change, or its push, arrived (B2 to B4)")
  @Test
  void a_ref_that_changed_elsewhere_between_advertisement_and_push_is_seen() throws Exception {
    push("second");
    ObjectId first = ObjectId.fromString(work.run("rev-parse", "HEAD~1"));
    try (S3Repository there = elsewhere.openRepository("r")) {
      assertThat(TestRepositories.force(there, "refs/heads/main", first))
          .isEqualTo(RefUpdate.Result.FORCED);
    }
    // A client pushes here that had the advertisement from the other process.
    ObjectId second = ObjectId.fromString(work.run("rev-parse", "HEAD"));
    assertThat(answerTo(first, second, new ForgedPack(0).closed())).contains("ok refs/heads/main");
    // And one whose refs are really old.
    assertThat(answerTo(first, second, new ForgedPack(0).closed())).contains("ng refs/heads/main");
  }

  @Test
  void a_push_that_lacks_objects_publishes_and_leaves_nothing() throws Exception {
    ObjectId main = ObjectId.fromString(work.run("rev-parse", "HEAD"));
    long before = packObjects();
    PackBytes pack = PackBytes.childOf(ObjectId.fromString("1".repeat(40)));
    assertThat(answerTo(main, pack.commit(), pack.bytes())).contains("ng refs/heads/main");
    try (S3Repository r = manager.openRepository("r")) {
      assertThat(r.manifest().packs()).hasSize(1);
    }
    // the server cleans up after it has answered
    ConcurrentTasks.waitWhile(() -> packObjects() != before);
  }

  private long packObjects() throws IOException {
    try (ObjectStore store = store()) {
      return StoreContent.keys(store, "objects/").stream()
          .filter(key -> key.contains("/pack/"))
          .count();
    }
  }

  /** Pushes to the main branch, whatever the advertisement says. */
  private String answerTo(ObjectId old, ObjectId changed, byte[] pack) throws Exception {
    byte[] body = GitRequests.push(old, changed, "refs/heads/main", pack);
    return answerTo("git-receive-pack", "version=0", body);
  }

  private String answerTo(String service, String protocol, byte[] body) throws Exception {
    return TestRequests.post(server.uri(), "r.git/" + service, body, "Git-Protocol", protocol)
        .body();
  }
}
