// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.e2e;

import static org.jgits3.gerrit.e2e.GerritEndToEnd.bar;
import static org.jgits3.gerrit.e2e.GerritEndToEnd.change;
import static org.jgits3.gerrit.e2e.GerritEndToEnd.create;
import static org.jgits3.gerrit.e2e.GerritEndToEnd.id;
import static org.jgits3.gerrit.e2e.Report.equal;
import static org.jgits3.gerrit.e2e.Report.that;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jgits3.gerrit.e2e.plugin.SlowRule;
import org.jgits3.gerrit.e2e.tools.Json;

/**
 * Refs and fields that Gerrit cannot parse or index, by users without rights, owners of projects
 * and groups, and other writers of the bucket. After each attack both nodes are ready all the time,
 * changes of another project are found on the other node, and a revoked right is refused there.
 */
final class HostileUsers extends OnTwoNodes {
  /** A term that Lucene refuses. */
  private static final String LONG = "x".repeat(40_000);

  private static final String SOUND = "hostile/sound";
  private static final String OWN = "hostile/own";
  private static final String PUSHED = "hostile/pushed";
  private static final String BARRED = "hostile/barred";
  private static final String SLOW = "hostile/slow";
  private static final String MALLORY = "mallory";

  /** Threads of a node for documents. */
  private static final int THREADS = 8;

  /** Requests of the fuzz of fields. */
  private static final int REQUESTS = 120;

  /** Refs of the fuzz of refs, for each project. */
  private static final int REFS = 120;

  private static final int[] LENGTHS = {0, 1, 50, 256, 2_049, 32_766, 32_767, 40_000, 100_000};
  private static final List<String> CHARACTERS = List.of("x", "-", "a b", "\u00e9", "\ud83d\ude00");

  /** Requests with a field; %s is the text. */
  private static final List<List<String>> FIELDS =
      List.of(
          List.of("PUT", "accounts/self/name", "{\"name\":\"%s\"}"),
          List.of("PUT", "accounts/self/displayname", "{\"display_name\":\"%s\"}"),
          List.of("PUT", "accounts/self/status", "{\"status\":\"%s\"}"),
          List.of("PUT", "accounts/self/emails/e", "{\"email\":\"%s@example.com\"}"),
          List.of("POST", "accounts/self/sshkeys", "ssh-ed25519 AAAA %s"),
          List.of("PUT", "accounts/self/tokens/t", "{\"id\":\"%s\"}"),
          List.of(
              "POST",
              "accounts/self/watched.projects",
              "[{\"project\":\"hostile/own\",\"filter\":\"%s\",\"notify_new_changes\":true}]"),
          List.of("PUT", "projects/hostile%2Fown/description", "{\"description\":\"%s\"}"),
          List.of("PUT", "projects/hostile%2Fown/branches/b", "{\"ref\":\"%s\"}"),
          List.of("PUT", "projects/hostile%2Fown/tags/t", "{\"ref\":\"refs/tags/%s\"}"),
          List.of("PUT", "groups/sect/description", "{\"description\":\"%s\"}"),
          List.of("PUT", "groups/sect/name", "{\"name\":\"%s\"}"),
          List.of("PUT", "@/topic", "{\"topic\":\"%s\"}"),
          List.of("POST", "@/hashtags", "{\"add\":[\"%s\"]}"),
          List.of("POST", "@/custom_keyed_values", "{\"add\":{\"k\":\"%s\"}}"),
          List.of("POST", "@/revisions/current/review", "{\"tag\":\"%s\",\"message\":\"m\"}"),
          List.of("POST", "@/revisions/current/review", "{\"message\":\"%s\"}"),
          List.of("POST", "@/reviewers", "{\"reviewer\":\"%s\"}"));

  private WorkCopy sound;
  private WorkCopy own;
  private int probes;

  HostileUsers(OnTwoNodes both) {
    super(both);
  }

  void run(Report report) throws InterruptedException {
    report.check("a project, its reader, and a user without rights", this::begin);
    attack(report, "an owner pushes a ref that Gerrit cannot parse", this::ownersRef);
    attack(report, "another writer makes refs that Gerrit cannot parse", this::writersRefs);
    attack(report, "a user has a name that Lucene refuses", this::name);
    attack(report, "a user watches a project that Lucene refuses", this::watches);
    attack(report, "a group has a name that Lucene refuses", this::group);
    attack(report, "a change of All-Users has a hashtag that Lucene refuses", this::hashtag);
    attack(report, "fields of any length", this::fields);
    attack(report, "refs of any names", this::refs);
    report.check("a node is restarted amid all that", () -> restart(false));
    report.check("a node that lost its position compares all that", () -> restart(true));
    attack(report, "documents of a project hang in a plugin", this::hanging);
  }

  private void attack(Report report, String name, Report.Step attack) throws InterruptedException {
    report.check(
        name,
        () ->
            whileReady(
                () -> {
                  attack.run();
                  survive();
                }));
  }

  /** Asks both nodes all the time whether they are ready. */
  private void whileReady(Report.Step step) throws Exception {
    Queue<String> notReady = new ConcurrentLinkedQueue<>();
    AtomicBoolean ended = new AtomicBoolean();
    Thread watch =
        new Thread(
            () -> {
              while (!ended.get()) {
                ask("a", a, notReady);
                ask("b", b, notReady);
              }
            });
    watch.start();
    try {
      step.run();
    } finally {
      ended.set(true);
      watch.join();
    }
    equal(List.copyOf(notReady), List.of(), "answers while not ready");
  }

  private static void ask(String name, GerritNode node, Queue<String> notReady) {
    try {
      int status = node.readiness();
      if (status != 200) {
        notReady.add(name + ": " + status);
      }
      Thread.sleep(300);
    } catch (IOException | InterruptedException e) {
      notReady.add(name + ": " + e);
    }
  }

  private void begin() throws Exception {
    for (String project : List.of(SOUND, OWN, PUSHED, BARRED)) {
      create(a, project, "MERGE_IF_NECESSARY");
    }
    for (String user : List.of("out", MALLORY)) {
      a.put("accounts/" + user, "{\"email\":\"%s@example.com\"}".formatted(user));
    }
    a.put("groups/outcasts", "{}");
    a.put("groups/sect", "{}");
    String registered = "{\"global:Registered-Users\":{\"action\":\"ALLOW\"}}";
    for (String project : List.of(OWN, PUSHED)) {
      a.post(
          "projects/" + id(project) + "/access",
          """
          {"add":{"refs/*":{"permissions":{"create":{"rules":%1$s},"push":{"rules":%1$s},
          "owner":{"rules":%1$s}}}}}"""
              .formatted(registered));
    }
    bar(a, BARRED, "outcasts");
    lags("project", () -> b.status("out", "GET", "projects/" + id(BARRED)) == 200);
    sound = test.clone(a, SOUND);
    own = test.clone(a, OWN);
    survive();
  }

  /** Checks that changes are followed, and rights revoked. */
  private void survive() throws Exception {
    String change = sound.newChange("sound-" + probes++);
    lags("change of another project", () -> finds(b, change, "status:new"));
    revoke("outcasts");
    String access = "projects/" + id(BARRED) + "/access";
    String rule =
        """
        {"%s":{"refs/heads/secret":{"permissions":{"read":{"rules":{"Registered Users":{
        "action":"BLOCK"}}}}}}}""";
    a.post(access, rule.formatted("add"));
    lags("settings", () -> b.get(access).at("local").has("refs/heads/secret"));
    a.post(access, rule.formatted("remove"));
    lags("settings", () -> !b.get(access).at("local").has("refs/heads/secret"));
  }

  /** Has the other node refuse a member of a group that is barred, and then a member no more. */
  private void revoke(String group) throws Exception {
    String members = "groups/" + a.get("groups/" + group).at("id").text() + "/members/out";
    a.rest("admin", "PUT", members, "{}");
    lags("revoked right", () -> seenByOut() == 404);
    a.rest("admin", "DELETE", members, null);
    lags("granted right", () -> seenByOut() == 200);
  }

  private int seenByOut() throws Exception {
    return b.status("out", "GET", "projects/" + id(BARRED));
  }

  private void ownersRef() throws Exception {
    that(
        own.tryAs(MALLORY, "push", "origin", "HEAD:refs/users/01/1/edit-99999999999/1"),
        "the push is refused");
    for (GerritNode node : List.of(a, b)) {
      lags("named", () -> node.log().contains("edit-99999999999/1 of " + OWN + " is ignored"));
    }
  }

  private void writersRefs() throws Exception {
    List<String> refs =
        List.of(
            "refs/changes/99/99999999999/1",
            "refs/changes/99/99999999999/meta",
            "refs/changes/34/1234/99999999999",
            "refs/users/01/99999999999",
            "refs/users/01/1/edit-2147483648/1",
            "refs/starred-changes/99/99999999999/1",
            "refs/draft-comments/99/99999999999/99999999999");
    for (String project : List.of(OWN, "All-Users")) {
      equal(store.write(project, refs), refs, "written to " + project);
      lags("named", () -> b.log().contains("99999999999/meta of " + project + " is ignored"));
    }
    survive();
    store.deleteRefs("All-Users", refs); // Gerrit's own programs stop at them
  }

  /** Waits until both nodes have given up a number of documents. */
  private void giveUp(int documents) throws Exception {
    for (GerritNode node : List.of(a, b)) {
      lags("given up", () -> givenUp(node) == documents);
    }
  }

  private void name() throws Exception {
    String path = "accounts/self/name";
    a.rest(MALLORY, "PUT", path, "{\"name\":\"%s\"}".formatted(LONG));
    giveUp(1);
    that(b.log().contains("given up until it changes: account "), "not named");
    survive();
    a.rest(MALLORY, "PUT", path, "{\"name\":\"Mallory\"}");
    giveUp(0);
    equal(b.get("accounts/?q=name:mallory").size(), 1, "followed when it changes");
  }

  private void watches() throws Exception {
    WorkCopy users = test.clone(a, "All-Users");
    for (String project : List.of(LONG, "x")) {
      that(users.tryAs(MALLORY, "fetch", "-q", "origin", "refs/users/self"), "fetch");
      users.git("checkout", "-q", "FETCH_HEAD");
      users.write("watch.config", "[project \"%s\"]\n\tnotify = * [ALL]\n".formatted(project));
      users.git("add", "watch.config");
      users.git("-c", "user.email=mallory@example.com", "commit", "-q", "-m", "watch");
      that(users.tryAs(MALLORY, "push", "origin", "HEAD:refs/users/self"), "the push is refused");
      giveUp(project.equals(LONG) ? 1 : 0);
      survive();
    }
  }

  /** Rights rest on the document of the group, so its members are followed all the same. */
  private void group() throws Exception {
    String uuid = a.get("groups/sect").at("id").text();
    bar(a, BARRED, "sect");
    revoke(uuid);
    a.rest("admin", "PUT", "groups/" + uuid + "/name", "{\"name\":\"%s\"}".formatted(LONG));
    lags("renamed", () -> b.get("groups/" + uuid).at("name").text().equals(LONG));
    for (int i = 0; i < 2; i++) {
      revoke(uuid);
    }
    a.rest("admin", "PUT", "groups/" + uuid + "/name", "{\"name\":\"sect\"}");
    lags("renamed", () -> b.status("admin", "GET", "groups/sect") == 200);
    giveUp(0);
  }

  private void hashtag() throws Exception {
    Json made =
        a.post(
            "changes/",
            "{\"project\":\"All-Users\",\"branch\":\"refs/meta/config\",\"subject\":\"s\"}");
    String change = change("All-Users~" + made.at("_number").number());
    String tags = change + "/hashtags";
    a.rest("admin", "POST", tags, "{\"add\":[\"%s\"]}".formatted(LONG));
    giveUp(1);
    survive();
    a.rest("admin", "POST", tags, "{\"remove\":[\"%s\"]}".formatted(LONG));
    giveUp(0);
  }

  private static String text(Random random) {
    String character = CHARACTERS.get(random.nextInt(CHARACTERS.size()));
    return character.repeat(LENGTHS[random.nextInt(LENGTHS.length)] / character.length());
  }

  private void fields() throws Exception {
    long seed = System.nanoTime();
    Report.say("  seed " + seed);
    Random random = new Random(seed);
    List<String> changes = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      changes.add(change(sound.newChange("fields-" + i)));
    }
    String sect = a.get("groups/sect").at("id").text();
    for (int i = 0; i < REQUESTS; i++) {
      List<String> field = FIELDS.get(random.nextInt(FIELDS.size()));
      String path =
          field
              .get(1)
              .replace("@", changes.get(random.nextInt(changes.size())))
              .replace("groups/sect", "groups/" + sect);
      String user = path.startsWith("accounts/") ? MALLORY : "admin";
      String body = field.get(2).formatted(text(random));
      (random.nextBoolean() ? a : b).rest(user, field.get(0), path, body); // refused or not
      if (i % 20 == 0) {
        survive();
      }
    }
    revoke(sect);
    awaitTried();
  }

  /** Waits until each node has tried or given up everything so far. */
  private void awaitTried() throws Exception {
    for (GerritNode node : List.of(a, b)) {
      eventually(
          "nothing fails",
          CATCH_UP,
          () -> node.get("config/server/s3-follower").at("failure").text().isEmpty());
    }
  }

  /** A name near those that Gerrit uses. */
  private static String ref(Random random) {
    String[] starts = {
      "refs/changes/", "refs/users/", "refs/groups/", "refs/starred-changes/",
      "refs/draft-comments/", "refs/sequences/", "refs/meta/", "refs/cache-automerge/"
    };
    String[] ends = {
      "", "/meta", "/robot-comments", "/1", "/%s", "/edit-%s/1", "/edit-%s/%<s", "/x"
    };
    String number =
        switch (random.nextInt(4)) {
          case 0 -> Long.toString(random.nextLong(Long.MAX_VALUE));
          case 1 -> Long.toString(Integer.MAX_VALUE + random.nextLong(-3, 3));
          case 2 -> "9".repeat(1 + random.nextInt(30));
          default -> Integer.toString(7_000_000 + random.nextInt(1000));
        };
    String shard = number.length() < 2 ? "0" + number : number.substring(number.length() - 2);
    String end = ends[random.nextInt(ends.length)].formatted(number);
    return starts[random.nextInt(starts.length)] + shard + "/" + number + end;
  }

  private void refs() throws Exception {
    long seed = System.nanoTime();
    Report.say("  seed " + seed);
    Random random = new Random(seed);
    for (String project : List.of(OWN, "All-Users")) {
      Set<String> refs = new LinkedHashSet<>();
      while (refs.size() < REFS) {
        refs.add(ref(random));
      }
      List<String> written = store.write(project, List.copyOf(refs));
      that(!written.isEmpty(), "no ref was written");
      survive();
      awaitTried();
      if (project.equals("All-Users")) {
        store.deleteRefs(project, written); // Gerrit's own programs stop at them
        awaitTried();
      }
    }
    WorkCopy pushing = test.clone(a, PUSHED);
    int pushed = 0;
    for (int i = 0; i < 20; i++) {
      pushed += pushing.tryAs(MALLORY, "push", "-q", "origin", "HEAD:" + ref(random)) ? 1 : 0;
    }
    Report.say("  pushed " + pushed + " refs");
    that(pushed > 0, "no ref was pushed");
  }

  private void restart(boolean losesPosition) throws Exception {
    List<String> refs = List.of("refs/users/01/99999999999", "refs/changes/99/99999999999/meta");
    b.stop(); // so that it meets all that when it starts
    store.write("All-Users", refs);
    a.rest(MALLORY, "PUT", "accounts/self/name", "{\"name\":\"%s\"}".formatted(LONG));
    if (losesPosition) {
      b.losePosition();
    }
    b.start();
    ready(b);
    whileReady(
        () -> {
          survive();
          lags("given up", () -> givenUp(b) > 0);
          survive();
        });
    a.rest(MALLORY, "PUT", "accounts/self/name", "{\"name\":\"Mallory\"}");
    store.deleteRefs("All-Users", refs);
  }

  /** The documents of one project hang on one node, more of them than it has threads. */
  private void hanging() throws Exception {
    HostileEvents.install(b, SlowRule.PLUGIN, SlowRule.class);
    create(a, SLOW, "MERGE_IF_NECESSARY");
    lags("project", () -> b.get("projects/").has(SLOW));
    WorkCopy slow = test.clone(a, SLOW);
    Path directory = Files.createDirectories(b.site().resolve("data").resolve(SlowRule.PLUGIN));
    Path named = Files.writeString(directory.resolve(SlowRule.PROJECT), SLOW);
    List<String> changes = new ArrayList<>();
    try {
      for (int i = 0; i < 2 * THREADS; i++) {
        changes.add(slow.newChange("slow-" + i));
      }
      lags("hangs", () -> Files.exists(directory.resolve(SlowRule.WAITED)));
      survive();
      that(!finds(b, changes.getFirst(), "status:new"), "the document does not hang");
    } finally {
      Files.delete(named);
    }
    for (String change : changes) {
      lags("change that hung", () -> finds(b, change, "status:new"));
    }
  }
}
