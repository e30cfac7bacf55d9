// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.hot;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import org.jgits3.bench.Turns;
import org.jgits3.bench.proxy.LatencyProxy;
import org.jgits3.bench.report.Estimate;
import org.jgits3.bench.report.Figure;
import org.jgits3.bench.report.Row;
import org.jgits3.bench.report.SuiteResult;
import org.jgits3.bench.report.Unit;

/** Outcomes of the rounds of all engines, as figures. Used by one thread. */
final class HotFigures {
  static final String PUSHES = "pushes a second";
  static final String MANIFESTS = "manifest PUTs a push";
  static final String SLOWEST_CLIENT = "pushes of the slowest client, against the median";

  static final String VS_C_GIT = "hot_vs_cgit";

  /** Keys of the figures of each number of servers, and the cases they are of. */
  private static final Map<String, String> CASES = new LinkedHashMap<>();

  private static final Map<HotEngine, String> NAMES = new EnumMap<>(HotEngine.class);

  static {
    CASES.put("hot_pushes", PUSHES);
    CASES.put("hot_manifest_puts", MANIFESTS);
    CASES.put("hot_slowest_client", SLOWEST_CLIENT);
    NAMES.put(HotEngine.ONE_SERVER, "_one_server");
    NAMES.put(HotEngine.THREE_SERVERS, "_three_servers");
  }

  private final Map<HotEngine, List<HotRound.Outcome>> outcomes = new EnumMap<>(HotEngine.class);
  private final Turns<HotEngine> turns;

  HotFigures(Turns<HotEngine> turns) {
    this.turns = turns;
  }

  static List<String> keys() {
    List<String> keys = new ArrayList<>();
    for (String each : NAMES.values()) {
      CASES.keySet().forEach(key -> keys.add(key + each));
    }
    keys.add(VS_C_GIT);
    return keys;
  }

  void add(HotEngine engine, HotRound.Outcome outcome) {
    outcomes.computeIfAbsent(engine, e -> new ArrayList<>()).add(outcome);
  }

  SuiteResult result(String suite) {
    List<Row> rows = rows();
    Map<String, Optional<Estimate>> headline = new LinkedHashMap<>();
    NAMES.forEach(
        (engine, name) ->
            CASES.forEach(
                (key, title) ->
                    headline.put(key + name, median(rows, title, engine).map(Estimate::exactly))));
    Optional<Double> other = median(rows, PUSHES, HotEngine.C_GIT);
    headline.put(
        VS_C_GIT,
        median(rows, PUSHES, HotEngine.ONE_SERVER)
            .flatMap(own -> other.map(each -> Estimate.exactly(own / each))));
    return SuiteResult.of(suite, headline, rows, HotEngine.C_GIT.id());
  }

  private static Optional<Double> median(List<Row> rows, String title, HotEngine engine) {
    return SuiteResult.median(rows, title, engine.id());
  }

  private List<Row> rows() {
    List<Row> rows = new ArrayList<>();
    add(rows, PUSHES, Unit.PER_SECOND, HotRound.Outcome::perSecond);
    add(rows, "push, median", Unit.NANOSECONDS, HotRound.Outcome::median);
    add(rows, "push, 99 %", Unit.NANOSECONDS, HotRound.Outcome::slow);
    add(rows, SLOWEST_CLIENT, Unit.TIMES, HotRound.Outcome::slowestClient);
    add(
        rows,
        "pushes of the slowest server, against the fastest",
        Unit.TIMES,
        HotRound.Outcome::slowestServer);
    addRequests(rows, MANIFESTS, LatencyProxy.Requests::manifestPuts);
    addRequests(
        rows,
        "manifest PUTs a push that another process forestalled",
        LatencyProxy.Requests::lostPuts);
    addRequests(rows, "all PUTs a push", r -> r.manifestPuts() + r.otherPuts());
    addRequests(rows, "reads a push", LatencyProxy.Requests::reads);
    add(
        rows,
        "processor time of clients and proxy, a push",
        Unit.NANOSECONDS,
        outcome -> outcome.ownNanos() / outcome.pushes());
    for (HotEngine engine : NAMES.keySet()) {
      add(
          rows,
          "processor time of the servers, a push",
          engine,
          Unit.NANOSECONDS,
          outcome -> outcome.serverNanos() / outcome.pushes());
    }
    return rows;
  }

  private void addRequests(
      List<Row> rows, String title, ToDoubleFunction<LatencyProxy.Requests> number) {
    for (HotEngine engine : NAMES.keySet()) {
      add(
          rows,
          title,
          engine,
          Unit.REQUESTS,
          o -> number.applyAsDouble(o.requests().orElseThrow()) / o.pushes());
    }
  }

  private void add(
      List<Row> rows, String title, Unit unit, ToDoubleFunction<HotRound.Outcome> value) {
    for (HotEngine engine : HotEngine.values()) {
      add(rows, title, engine, unit, value);
    }
  }

  private void add(
      List<Row> rows,
      String title,
      HotEngine engine,
      Unit unit,
      ToDoubleFunction<HotRound.Outcome> value) {
    rows.add(
        turns.row(
            title,
            engine,
            unit,
            () -> {
              List<HotRound.Outcome> all = outcomes.get(engine);
              return new Figure(all.stream().mapToDouble(value).boxed().toList(), all.size());
            }));
  }
}
