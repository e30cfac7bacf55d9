// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jgits3.server.e2e.process.Command;
import org.jgits3.store.ConcurrentTasks;
import org.jgits3.testing.aid.FreePort;
import org.jgits3.testing.aid.Unchecked;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of the events of all repositories: real pushes, processes, signals and a receiver. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class EventsEndToEndIT extends EachStoreContract {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String SECRET = "swordfish";

  @BeforeEach
  void push() throws Exception {
    commitAndPush("a");
  }

  private String commitAndPush(String repository) throws IOException {
    String id = work.commitFile(repository + ".txt", System.nanoTime() + "\n");
    work.run("push", "-q", server.url(repository), "main");
    return id;
  }

  private Command events(String... options) {
    List<String> args = new ArrayList<>(List.of("events"));
    args.addAll(List.of(options));
    return Command.run(store, args.toArray(String[]::new));
  }

  private String cursor() {
    return lastCursor(events().succeeds().stdout());
  }

  private static String lastCursor(String stdout) {
    List<String> lines = stdout.lines().toList();
    String last = lines.get(lines.size() - 1);
    assertThat(last).startsWith("cursor ");
    return last.substring("cursor ".length());
  }

  private Process follow(Path out, Path err, String... options) throws IOException {
    List<String> args = new ArrayList<>(List.of("events", "--follow"));
    args.addAll(List.of(options));
    return store.start(out, err, args.toArray(String[]::new));
  }

  private static List<String> lines(Path file) {
    return Unchecked.call(() -> Files.readAllLines(file));
  }

  @Test
  void events_since_a_cursor_tell_what_happened_in_all_repositories() throws Exception {
    String before = cursor();
    String one = commitAndPush("a");
    String two = commitAndPush("group/b");
    Command.run(store, "rename", "a", "c").succeeds();

    Command text = events("--since", before).succeeds();
    assertThat(text.stdout().lines())
        .anyMatch(line -> line.equals("c renamed from a"))
        .anyMatch(line -> line.startsWith("c ") && line.endsWith(one + " refs/heads/main"))
        .anyMatch(line -> line.equals("group/b created"))
        .anyMatch(line -> line.startsWith("group/b ") && line.contains(" " + two + " "));
    assertThat(events("--since", lastCursor(text.stdout())).succeeds().stdout().lines()).hasSize(1);

    List<JsonNode> json = new ArrayList<>();
    for (String line : events("--since", before, "--json").succeeds().stdout().lines().toList()) {
      json.add(JSON.readTree(line));
    }
    assertThat(json)
        .filteredOn(event -> event.get("event").asText().equals("ref"))
        .extracting(event -> event.get("newId").asText())
        .contains(one, two);
    assertThat(json.get(json.size() - 1).get("event").asText()).isEqualTo("cursor");
  }

  @Test
  void everything_since_the_start_and_a_deletion_after_it() throws Exception {
    Command all = events("--since", "start").succeeds();
    assertThat(all.stdout()).startsWith("a created\n").contains(" refs/heads/main\n");
    Command.run(store, "delete", "a").succeeds();
    Command then = events("--since", lastCursor(all.stdout())).succeeds();
    assertThat(then.stdout()).startsWith("a deleted\ncursor ");
  }

  @Test
  void follower_prints_pushes_and_saves_its_cursor_when_it_is_told_to_stop() throws Exception {
    Path out = Files.createFile(scratch.resolve("out"));
    Path err = Files.createFile(scratch.resolve("err"));
    Path file = scratch.resolve("cursor");
    Process follower = follow(out, err, "--json", "--cursor", file.toString());
    try {
      ConcurrentTasks.waitWhile(() -> !Files.exists(file));
      String one = commitAndPush("a");
      ConcurrentTasks.waitWhile(() -> lines(out).isEmpty());
      assertThat(JSON.readTree(lines(out).get(0)).get("newId").asText()).isEqualTo(one);
      follower.toHandle().destroy();
      assertThat(follower.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(lines(err)).isEmpty();
    } finally {
      follower.destroyForcibly().waitFor();
    }
    assertThat(lines(out)).hasSize(1);
    String two = commitAndPush("a");
    Command rest = events("--cursor", file.toString()).succeeds();
    assertThat(rest.stdout().lines()).hasSize(1).allMatch(line -> line.contains(two));
    assertThat(events("--cursor", file.toString()).succeeds().stdout()).isEmpty();
  }

  @Test
  @Tag("long") // StoreHistoryTest has what a cursor repeats
  void killed_follower_repeats_and_skips_nothing() throws Exception {
    try (Receiver receiver = new Receiver()) {
      Path err = Files.createFile(scratch.resolve("err"));
      Path file = scratch.resolve("cursor");
      Path secret = Files.writeString(scratch.resolve("secret"), SECRET + "\n");
      String[] options = {
        "--cursor", file.toString(), "--webhook", receiver.url(), "--secret", secret.toString()
      };
      events("--cursor", file.toString()).succeeds();
      List<String> pushed = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        receiver.refuses.set(i);
        Process follower = follow(err, err, options);
        try {
          String last = commitAndPush("a");
          pushed.add(last);
          ConcurrentTasks.waitWhile(() -> !receiver.ids().contains(last));
        } finally {
          follower.destroyForcibly().waitFor(); // before or after it saved its cursor
        }
        pushed.add(commitAndPush("a"));
      }
      events(options).succeeds();
      assertThat(receiver.ids().stream().distinct()).containsExactlyElementsOf(pushed);
      assertThat(receiver.wrongSignatures.get()).isZero();
    }
  }

  @Test
  void receiver_that_cannot_be_reached_is_one_line_and_loses_nothing() throws Exception {
    Path file = scratch.resolve("cursor");
    Path secret = Files.writeString(scratch.resolve("secret"), SECRET);
    events("--cursor", file.toString()).succeeds();
    byte[] before = Files.readAllBytes(file);
    String id = commitAndPush("a");
    int unused = FreePort.find();
    Path out = Files.createFile(scratch.resolve("out"));
    Path err = Files.createFile(scratch.resolve("err"));
    String url = "http://127.0.0.1:" + unused + "/t0ken?key=k3y";
    Process follower =
        follow(
            out, err, "--cursor", file.toString(), "--webhook", url, "--secret", secret.toString());
    try {
      ConcurrentTasks.waitWhile(() -> lines(err).isEmpty());
      follower.toHandle().destroy();
      assertThat(follower.waitFor(60, TimeUnit.SECONDS)).isTrue();
    } finally {
      follower.destroyForcibly().waitFor();
    }
    assertThat(lines(err))
        .hasSize(1)
        .allMatch(l -> l.startsWith("jgit-s3: webhook at 127.0.0.1: "))
        .noneMatch(l -> l.contains("t0ken") || l.contains("k3y"));
    assertThat(Files.readAllBytes(file)).isEqualTo(before);
    try (Receiver receiver = new Receiver()) {
      events(
              "--cursor",
              file.toString(),
              "--webhook",
              receiver.url(),
              "--secret",
              secret.toString())
          .succeeds();
      assertThat(receiver.ids()).containsExactly(id);
      assertThat(receiver.wrongSignatures.get()).isZero();
    }
  }

  @Test
  void bad_input_is_one_line() throws Exception {
    Path file = scratch.resolve("cursor");
    assertThat(events("--since", "nonsense!").failsInOneLine(2).stderr()).contains("--since");
    Files.writeString(file, "something else");
    assertThat(events("--cursor", file.toString()).failsInOneLine(1).stderr())
        .contains(file + ": the cursor is no cursor of jgit-s3");
    assertThat(Files.readString(file)).isEqualTo("something else");
    Files.delete(file);
    assertThat(events("--webhook", "http://127.0.0.1:1/").failsInOneLine(2).stderr())
        .contains("--secret");
    assertThat(
            events("--webhook", "ftp://x/", "--secret", file.toString()).failsInOneLine(2).stderr())
        .contains("--webhook: not a URL of http or https");
    assertThat(
            events("--webhook", "http://x/", "--secret", file.toString())
                .failsInOneLine(2)
                .stderr())
        .contains("cannot be read");
    assertThat(events("--cursor", scratch + "/no/dir/c").failsInOneLine(1).stderr())
        .contains("the directory of the cursor does not exist");
    events("--cursor", file.toString()).succeeds();
    List<String> other =
        List.of("--store", "file:" + scratch.resolve("other"), "events", "--cursor", "" + file);
    assertThat(Command.run(java.util.Map.of(), other).failsInOneLine(1).stderr())
        .contains("the cursor is of the store ", "begin anew");
  }

  /** Receiver of events, which refuses some first. */
  private static final class Receiver implements AutoCloseable {
    private final HttpServer http;
    private final Queue<String> bodies = new ConcurrentLinkedQueue<>();
    final AtomicInteger refuses = new AtomicInteger();
    final AtomicInteger wrongSignatures = new AtomicInteger();

    Receiver() throws IOException {
      http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
      http.createContext("/hook", this::receive);
      http.start();
    }

    private void receive(HttpExchange exchange) throws IOException {
      byte[] body = exchange.getRequestBody().readAllBytes();
      if (!("sha256=" + hmac(body))
          .equals(exchange.getRequestHeaders().getFirst("X-Jgit-S3-Signature"))) {
        wrongSignatures.incrementAndGet();
      }
      boolean refused = refuses.getAndUpdate(n -> Math.max(0, n - 1)) > 0;
      if (!refused) {
        bodies.add(new String(body, UTF_8));
      }
      exchange.sendResponseHeaders(refused ? 503 : 204, -1);
      exchange.close();
    }

    private static String hmac(byte[] body) {
      try {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(SECRET.getBytes(UTF_8), "HmacSHA256"));
        return HexFormat.of().formatHex(mac.doFinal(body));
      } catch (java.security.GeneralSecurityException e) {
        throw new AssertionError(e);
      }
    }

    String url() {
      return "http://127.0.0.1:" + http.getAddress().getPort() + "/hook";
    }

    /** New ids of refs, in the order of their arrival. */
    List<String> ids() {
      return bodies.stream()
          .map(body -> Unchecked.call(() -> JSON.readTree(body)))
          .filter(event -> event.has("newId"))
          .map(event -> event.get("newId").asText())
          .toList();
    }

    @Override
    public void close() {
      http.stop(0);
    }
  }
}
