// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.e2e.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jgits3.server.e2e.process.Command;
import org.jgits3.server.e2e.process.ServedStore;
import org.jgits3.server.e2e.process.ServerProcess;
import org.jgits3.server.http.TestRequests;
import org.jgits3.server.http.users.TestUsers;
import org.jgits3.store.ConcurrentTasks;
import org.jgits3.testing.GitClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The files of {@code etc/monitoring}, and the metrics of a running server that they name. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class MonitoringIT {
  private static final Path ROOT = Path.of(System.getProperty("project.root")).toAbsolutePath();
  private static final Path FILES = ROOT.resolve("etc/monitoring");
  private static final Pattern METRIC = Pattern.compile("\\b(?:jgits3|jvm)_[a-z0-9_]+");

  /** Columns of a dashboard. */
  private static final int COLUMNS = 24;

  private static final int REQUESTS = 300;

  @TempDir private Path scratch;

  private static String tool(String name, Path directory, String... args) {
    Path installed = ROOT.resolve("target/tools/" + name);
    assumeTrue(
        Files.isExecutable(installed), name + " is missing; etc/test/" + name + " installs it");
    List<String> line = new ArrayList<>(List.of("sh", "-c", "cd \"$0\" && exec \"$@\""));
    line.addAll(List.of(directory.toString(), installed.toString()));
    line.addAll(List.of(args));
    return Command.finish(line, Map.of()).succeeds().stdout();
  }

  private static List<JsonNode> panels() throws IOException {
    JsonNode dashboard =
        new ObjectMapper().readTree(FILES.resolve("grafana-dashboard.json").toFile());
    List<JsonNode> panels = new ArrayList<>();
    dashboard.get("panels").forEach(panels::add);
    return panels;
  }

  /** Expressions of the dashboard, with values for the variables of Grafana. */
  private static List<String> expressions() throws IOException {
    return panels().stream()
        .flatMap(panel -> panel.path("targets").findValuesAsText("expr").stream())
        .map(expr -> expr.replace("$__rate_interval", "5m").replace("$instance", ".*"))
        .toList();
  }

  private static Set<String> metrics(Stream<String> texts) {
    return texts
        .flatMap(text -> METRIC.matcher(text).results())
        .map(found -> found.group())
        .collect(Collectors.toCollection(TreeSet::new));
  }

  @Test
  void alerts_fire_for_their_reasons_and_no_other() {
    assertThat(tool("promtool", FILES, "check", "rules", "--lint-fatal", "alerts.yml"))
        .contains("SUCCESS: 14 rules found");
    assertThat(tool("promtool", FILES, "test", "rules", "alerts_test.yml")).contains("SUCCESS");
  }

  @Test
  void expressions_of_the_dashboard_are_those_of_prometheus() throws IOException {
    StringBuilder rules = new StringBuilder("groups:\n- name: dashboard\n  rules:\n");
    List<String> expressions = expressions();
    for (int i = 0; i < expressions.size(); i++) {
      String expr = expressions.get(i).replace("'", "''");
      rules
          .append("  - record: panel:")
          .append(i)
          .append("\n    expr: '")
          .append(expr)
          .append("'\n");
    }
    Files.writeString(scratch.resolve("rules.yml"), rules);
    assertThat(tool("promtool", scratch, "check", "rules", "rules.yml"))
        .contains("SUCCESS: " + expressions.size() + " rules found");
  }

  @Test
  void dashboard_has_the_fields_of_grafana_and_no_others() throws IOException {
    long shown = panels().stream().filter(panel -> !panel.path("targets").isEmpty()).count();
    assertThat(tool("grafana-check", FILES, "grafana-dashboard.json"))
        .isEqualTo(shown + " panels, " + expressions().size() + " queries\n");
  }

  @Test
  void panels_of_the_dashboard_have_a_place_and_something_to_show() throws IOException {
    List<JsonNode> panels = panels();
    assertThat(panels).extracting(panel -> panel.get("id").asInt()).doesNotHaveDuplicates();
    Set<String> taken = new TreeSet<>();
    for (JsonNode panel : panels) {
      assertThat(panel.get("title").asText()).isNotEmpty();
      JsonNode place = panel.get("gridPos");
      assertThat(place.get("x").asInt() + place.get("w").asInt()).isLessThanOrEqualTo(COLUMNS);
      for (int x = 0; x < place.get("w").asInt(); x++) {
        for (int y = 0; y < place.get("h").asInt(); y++) {
          String cell = (place.get("x").asInt() + x) + " " + (place.get("y").asInt() + y);
          assertThat(taken.add(cell)).as("%s: %s", panel.get("title"), cell).isTrue();
        }
      }
      boolean row = panel.get("type").asText().equals("row");
      assertThat(panel.path("targets").isEmpty()).as("%s", panel).isEqualTo(row);
    }
  }

  @Test
  void metrics_that_are_named_are_those_of_a_running_server() throws Exception {
    ServedStore store = ServedStore.directory(scratch);
    GitClient work = GitClient.in(scratch).init("work");
    work.commitFile("a", "first\n");
    Path file = scratch.resolve("sweep.prom");
    String scrape;
    String[] options = {"--create-on-push", "--max-requests", "37"};
    try (ServerProcess server = ServerProcess.start(store, options)) {
      work.run("push", "-q", server.url("r"), "main");
      work.run("clone", "-q", server.url("r"), "clone");
      Command.run(store, "sweep", "--all", "--metrics-file", file.toString()).succeeds();
      // its client has the answer before it is counted
      ConcurrentTasks.waitWhile(() -> !metrics(server).contains("jgits3_fetch_seconds_count"));
      scrape = metrics(server) + Files.readString(file);
    }
    Set<String> shown =
        scrape
            .lines()
            .filter(line -> !line.startsWith("#"))
            .map(line -> line.replaceFirst("[{ ].*", ""))
            .collect(Collectors.toSet());
    assertThat(metrics(expressions().stream())).hasSizeGreaterThan(20).isSubsetOf(shown);
    String alerts = Files.readString(FILES.resolve("alerts.yml"));
    assertThat(metrics(Stream.of(alerts))).hasSizeGreaterThan(10).isSubsetOf(shown);
    String page = Files.readString(ROOT.resolve("src/site/markdown/operations.md"));
    assertThat(metrics(Stream.of(page))).isSubsetOf(shown);
    assertThat(scrape)
        .contains("jgits3_command_exit_code{command=\"sweep\"} 0", "\njgits3_git_limit 37.0\n")
        .containsPattern("jgits3_build_info\\{.*version=\"\\d[^\"]*\"} 1");
  }

  @Test
  void command_that_fails_says_so_in_its_file() throws Exception {
    Path file = scratch.resolve("gc.prom");
    Command.run(ServedStore.directory(scratch), "gc", "missing", "--metrics-file", file.toString())
        .failsInOneLine(1);
    assertThat(file).content().contains("jgits3_command_exit_code{command=\"gc\"} 1\n");
    Path nowhere = scratch.resolve("none/gc.prom");
    Command.run(ServedStore.directory(scratch), "gc", "--all", "--metrics-file", nowhere.toString())
        .failsInOneLine(1);
  }

  @Test
  void no_name_or_guess_of_a_client_adds_a_series() throws Exception {
    Path users = Files.writeString(scratch.resolve("users"), TestUsers.line("ada", "right"));
    String[] options = {"--users", users.toString(), "--access-log", "all"};
    try (ServerProcess server = ServerProcess.start(ServedStore.directory(scratch), options)) {
      attack(server, 0);
      Set<String> before = series(server);
      for (int i = 1; i <= REQUESTS; i++) {
        attack(server, i);
      }
      assertThat(series(server)).isEqualTo(before);
      String guesses =
          metrics(server)
              .lines()
              .filter(line -> line.startsWith("jgits3_logins_refused_total"))
              .collect(Collectors.joining());
      assertThat(guesses).endsWith(" " + (REQUESTS + 1) + ".0");
    }
  }

  /** Sends a wrong password, and a request of a user, with names that no other request has. */
  private static void attack(ServerProcess server, int i) throws Exception {
    String path = "name-" + i + "/info/refs?service=git-" + (i % 2 == 0 ? "upload-pack" : "x" + i);
    assertThat(status(server, path, "guesser-" + i + ":x", i)).isEqualTo(401);
    assertThat(status(server, path, "ada:right", i)).isIn(403, 404);
  }

  private static int status(ServerProcess server, String path, String user, int i)
      throws Exception {
    String[] headers = {
      "Authorization", TestRequests.basic(user),
      "User-Agent", "agent-" + i,
      "X-Forwarded-For", "192.0.2." + i % 256
    };
    return TestRequests.get(server.uri().resolve("/" + path), headers).statusCode();
  }

  private static String metrics(ServerProcess server) throws Exception {
    String[] user = {"Authorization", TestRequests.basic("ada:right")};
    return TestRequests.get(server.uri().resolve("/metrics"), user).body();
  }

  /** Names and labels of all series but those of the JVM, which come and go. */
  private static Set<String> series(ServerProcess server) throws Exception {
    return metrics(server)
        .lines()
        .filter(line -> line.startsWith("jgits3_"))
        .map(line -> line.replaceFirst(" \\S+$", ""))
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
