// SPDX-License-Identifier: Apache-2.0
// Draws the results that the page carries: tables as HTML, charts with Chart.js.
"use strict";
(() => {
  const results = JSON.parse(document.getElementById("results").textContent);
  const charts = [];
  const LIGHT = ["#0b62c4", "#d1571b", "#1b8a4b", "#8a3ffc", "#b8860b", "#c2185b",
    "#00838f", "#5d4037", "#546e7a", "#7cb342", "#e53935", "#3949ab"];
  const DARK = ["#79b4ff", "#ff9e66", "#6fd693", "#c3a0ff", "#f2cc60", "#ff8fb8",
    "#5fd4e0", "#c9a896", "#b0bec5", "#b9e27d", "#ff8a80", "#9fa8ff"];
  const SHAPES = ["circle", "triangle", "rect", "rectRot"];
  const MANY_SAMPLES = 8;
  const LOG_FROM = 30;
  const LONGEST_LABEL = 18;
  const DARK_SCREEN = matchMedia("screen and (prefers-color-scheme: dark)");

  // ---- elements and numbers

  function element(tag, attributes, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) made.setAttribute(name, value);
    made.append(...children);
    return made;
  }

  /** Three significant digits; whole numbers as they are. */
  function number(value) {
    if (value === null || value === undefined) return "";
    const size = Math.abs(value);
    if (size >= 1000 || Number.isInteger(value)) {
      return value.toLocaleString("en", { maximumFractionDigits: 0 });
    }
    if (size >= 0.01) return value.toLocaleString("en", { maximumSignificantDigits: 3 });
    return String(Number(value.toPrecision(2)));
  }

  const TIMES = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]];
  const SIZES = [[1e9, "GB"], [1e6, "MB"], [1e3, "kB"], [1, "bytes"]];

  function format(value, unit) {
    if (value === 0 && (unit === "ns" || unit === "bytes")) return "0";
    const steps = unit === "ns" ? TIMES : unit === "bytes" ? SIZES : [];
    for (const [factor, name] of steps) {
      if (Math.abs(value) >= factor) return number(value / factor) + " " + name;
    }
    return number(value) + " " + (value === 1 ? unit.replace(/^requests$/, "request") : unit);
  }

  const root = document.documentElement;

  function style(name) {
    return getComputedStyle(root).getPropertyValue(name).trim();
  }

  const dark = () => DARK_SCREEN.matches && !root.classList.contains("light");

  function colour(index) {
    const palette = dark() ? DARK : LIGHT;
    return palette[index % palette.length];
  }

  /** A long name in lines of its own, so that it leaves room for the bars. */
  function label(engine) {
    if (engine.length <= LONGEST_LABEL) return engine;
    const lines = [""];
    for (const word of engine.split(" ")) {
      const last = lines[lines.length - 1];
      if (last !== "" && last.length + word.length >= LONGEST_LABEL) lines.push(word);
      else lines[lines.length - 1] = last === "" ? word : last + " " + word;
    }
    return lines;
  }

  function distinct(values) {
    return [...new Set(values)];
  }

  function groups(rows, by) {
    const grouped = new Map();
    for (const row of rows) {
      if (!grouped.has(by(row))) grouped.set(by(row), []);
      grouped.get(by(row)).push(row);
    }
    return grouped;
  }

  // ---- charts

  /** Draws for each point the interval of the mean and, for bars, every sample. */
  const spread = {
    id: "spread",
    afterDatasetsDraw(chart) {
      const context = chart.ctx;
      const bars = chart.config.type === "bar";
      context.save();
      chart.data.datasets.forEach((dataset, index) => {
        if (!dataset.rows || !chart.isDatasetVisible(index)) return;
        chart.getDatasetMeta(index).data.forEach((point, i) => {
          const row = dataset.rows[i];
          if (!row || row.value === null) return;
          const axis = bars ? chart.scales.x : chart.scales.y;
          const at = (value) => axis.getPixelForValue(Math.max(value, axis.min));
          if (bars) {
            context.fillStyle = style("--text");
            context.globalAlpha = 0.45;
            for (const sample of row.samples.slice(0, 200)) {
              context.beginPath();
              context.arc(at(sample), point.y, 1.8, 0, 7);
              context.fill();
            }
            context.globalAlpha = 1;
          }
          if (row.ci99_low === undefined) return;
          const [low, high] = [at(row.ci99_low), at(Math.min(row.ci99_high, axis.max))];
          context.strokeStyle = bars ? style("--text") : dataset.borderColor;
          context.lineWidth = 1.4;
          context.beginPath();
          for (const [x1, y1, x2, y2] of bars
            ? [[low, point.y, high, point.y], [low, point.y - 4, low, point.y + 4],
              [high, point.y - 4, high, point.y + 4]]
            : [[point.x, low, point.x, high], [point.x - 4, low, point.x + 4, low],
              [point.x - 4, high, point.x + 4, high]]) {
            context.moveTo(x1, y1);
            context.lineTo(x2, y2);
          }
          context.stroke();
        });
      });
      context.restore();
    },
  };

  /** Says beside the axis why there is no bar. */
  const gaps = {
    id: "gaps",
    afterDatasetsDraw(chart) {
      const rows = chart.config.type === "bar" ? chart.data.datasets[0].rows : [];
      const context = chart.ctx;
      context.save();
      context.font = "italic 11px sans-serif";
      context.textBaseline = "middle";
      rows.forEach((row, i) => {
        if (row.value !== null) return;
        context.fillStyle = style(row.failed ? "--bad" : "--soft");
        const y = chart.scales.y.getPixelForValue(i);
        const room = Math.floor((chart.chartArea.right - chart.chartArea.left) / 6);
        const text = (row.failed ? "failed: " : "missing: ") + row.missing;
        const shown = text.length > room ? text.slice(0, room - 1) + "…" : text;
        context.fillText(shown, chart.chartArea.left + 6, y);
      });
      context.restore();
    },
  };

  function scale(title, extra) {
    return {
      title: { display: title !== "", text: title, color: style("--soft") },
      ticks: { color: style("--soft"), maxRotation: 0, autoSkipPadding: 14, ...(extra.ticks || {}) },
      grid: { color: style("--line"), ...(extra.grid || {}) },
      ...Object.fromEntries(Object.entries(extra).filter(([k]) => k !== "ticks" && k !== "grid")),
    };
  }

  function figure(parent, title, caption, height, wide, configuration) {
    const canvas = element("canvas", { role: "img", "aria-label": title });
    parent.append(element("figure", wide ? { class: "wide" } : {},
      element("h4", {}, title),
      element("div", { class: "canvas", style: `height:${height}px` }, canvas),
      element("figcaption", {}, caption)));
    const draw = () => {
      const options = configuration();
      options.options = { responsive: true, maintainAspectRatio: false, animation: false,
        locale: "en", ...options.options };
      return new Chart(canvas, options);
    };
    charts.push({ draw, chart: draw() });
  }

  function extent(rows) {
    const values = rows.filter((row) => row.value > 0)
      .flatMap((row) => [row.low, row.high, row.value]).filter((value) => value > 0);
    return [Math.min(...values), Math.max(...values)];
  }

  /** Labels of a logarithmic axis: 1, 2, 5 and so on, or the beginnings of many decades alone. */
  function ticks(unit, least, most) {
    const labelled = most / least > 1000 ? [1] : [1, 2, 5];
    const leading = (value) => Math.round(value / 10 ** Math.floor(Math.log10(value) + 1e-9) * 1e6) / 1e6;
    return { callback: (value) => labelled.includes(leading(value)) ? format(value, unit) : null };
  }

  /** An axis that has room for all samples; logarithmic if some are many times others. */
  function valueAxis(unit, least, most) {
    return most / least > LOG_FROM
      ? { type: "logarithmic", ticks: ticks(unit, least, most),
        min: 10 ** Math.floor(Math.log10(least / 2)), max: most * 1.25 }
      : { type: "linear", beginAtZero: true, grace: "5%",
        ticks: { callback: (value) => format(value, unit) } };
  }

  /** Both axes logarithmic: what is linear in the size is a straight line of slope 1. */
  function sizeAxes(rows, sizes) {
    const unit = rows[0].unit;
    const [least, most] = extent(rows);
    return {
      x: { type: "logarithmic", min: sizes[0] / 1.1, max: sizes[sizes.length - 1] * 1.1,
        afterBuildTicks: (axis) => { axis.ticks = sizes.map((value) => ({ value })); },
        ticks: { callback: number, autoSkip: false } },
      y: { type: "logarithmic", min: least / 1.25, max: most * 1.25,
        ticks: ticks(unit, least, most) },
    };
  }

  function bars(parent, title, rows, colours) {
    const unit = rows[0].unit;
    const [least, most] = extent(rows);
    const log = most / least > LOG_FROM;
    const caption = (log ? "Logarithmic axis. " : "")
      + (unit === "" ? "" : ["MB/s", "×", "/s"].includes(unit) ? "More is better."
        : "Less is better.");
    const labels = rows.map((row) => label(row.engine));
    const lineCount = labels.reduce((sum, one) => sum + (Array.isArray(one) ? one.length : 1), 0);
    figure(parent, title, caption, 50 + 12 * rows.length + 14 * lineCount, false, () => ({
      type: "bar",
      plugins: [spread, gaps],
      data: {
        labels,
        datasets: [{
          rows,
          data: rows.map((row) => row.value),
          backgroundColor: rows.map((row) => colour(colours.indexOf(row.engine)) + "99"),
          borderColor: rows.map((row) => colour(colours.indexOf(row.engine))),
          borderWidth: 1,
          maxBarThickness: 18,
        }],
      },
      options: {
        indexAxis: "y",
        scales: {
          x: scale("", valueAxis(unit, least, most)),
          y: scale("", { ticks: { color: style("--text"), autoSkip: false }, grid: { display: false } }),
        },
        plugins: {
          legend: { display: false },
          tooltip: { callbacks: { title: (items) => rows[items[0].dataIndex].engine,
            label: (item) => tooltip(rows[item.dataIndex]) } },
        },
      },
    }));
  }

  /** Whether bars say more than the table: of a count, or of one value, they do not. */
  function shows(rows) {
    const known = rows.filter((row) => row.value !== null);
    const counts = known.every((row) => row.unit === "" || row.unit === "requests");
    const values = new Set(known.flatMap((row) => [row.value, ...row.samples]));
    return !counts && values.size > 1;
  }

  function tooltip(row) {
    const lines = ["median " + format(row.value, row.unit)];
    if (row.ci99_low !== undefined) {
      lines.push(`mean, 99 %: ${format(row.ci99_low, row.unit)} to ${format(row.ci99_high, row.unit)}`);
    }
    if (row.ratio) lines.push(`${number(row.ratio)} × ${row.ratio_to}`);
    return lines;
  }

  /**
   * One line per engine; each of the series is {engine, points, rows}. The legend is in the order in
   * which the lines end at the right, from above.
   */
  function lines(parent, title, caption, xTitle, yTitle, yTick, unordered, colours, extra) {
    const end = (one) => one.points[one.points.length - 1];
    const series = extra.stepped
      ? [...unordered].sort((a, b) => a.points[0].x - b.points[0].x)
      : [...unordered].sort((a, b) => end(b).y - end(a).y);
    figure(parent, title, caption, 340, series.length > 4, () => ({
      type: "scatter",
      plugins: [spread],
      data: {
        datasets: series.map((one) => ({
          label: one.engine,
          data: one.points,
          rows: one.rows,
          showLine: true,
          stepped: Boolean(extra.stepped),
          borderColor: colour(colours.indexOf(one.engine)),
          backgroundColor: colour(colours.indexOf(one.engine)),
          borderDash: colours.indexOf(one.engine) >= LIGHT.length / 2 ? [6, 3] : [],
          borderWidth: 2,
          pointStyle: SHAPES[colours.indexOf(one.engine) % SHAPES.length],
          pointBackgroundColor: colour(colours.indexOf(one.engine)),
          pointRadius: one.points.length > 60 || extra.stepped ? 0 : 4,
        })),
      },
      options: {
        scales: {
          x: scale(xTitle, extra.x || {}),
          y: scale(yTitle, extra.y || { beginAtZero: true, ticks: { callback: yTick } }),
        },
        plugins: {
          legend: { position: "bottom", labels: { color: style("--text"), usePointStyle: true,
            generateLabels: (chart) => Chart.defaults.plugins.legend.labels.generateLabels(chart)
              .map((item) => ({ ...item, fillStyle: item.strokeStyle, lineDash: [] })) } },
          tooltip: { callbacks: { label: (item) =>
            `${item.dataset.label}: ${extra.xTick ? extra.xTick(item.parsed.x) : number(item.parsed.x)}, `
              + yTick(item.parsed.y) } },
        },
      },
    }));
  }

  function overSize(parent, title, rows, colours) {
    const known = rows.filter((row) => row.value !== null);
    const absent = distinct(rows.filter((row) => row.value === null)
      .map((row) => `${row.engine}: ${row.failed ? "failed" : "missing"}, ${row.missing}`));
    const series = [...groups(known, (row) => row.engine)].map(([engine, own]) => {
      own.sort((a, b) => a.x - b.x);
      return { engine, rows: own, points: own.map((row) => ({ x: row.x, y: row.value })) };
    });
    const unit = rows[0].unit;
    const sizes = distinct(known.map((row) => row.x)).sort((a, b) => a - b);
    if (sizes.length < 2) return; // the bars show as much
    const caption = ["Medians, with 99 % intervals of the mean, over the size. Both axes are "
      + "logarithmic: what is linear in the size rises as steeply as the size.", ...absent];
    lines(parent, title + " over size", caption.join(" "), "size, " + rows[0].x_unit, "",
      (value) => format(value, unit), series, colours,
      { ...sizeAxes(known, sizes), xTick: (value) => `${number(value)} ${rows[0].x_unit}` });
  }

  /** Which share of the calls took at most so long. */
  function distribution(parent, title, rows, colours) {
    const unit = rows[0].unit;
    const [least, most] = extent(rows);
    const log = most / least > LOG_FROM;
    const series = rows.map((row) => {
      const sorted = [...row.samples].sort((a, b) => a - b);
      return { engine: row.engine,
        points: sorted.map((x, i) => ({ x, y: (i + 1) / sorted.length * 100 })) };
    });
    const tick = (value) => format(value, unit);
    lines(parent, title + ": distribution", log ? "Logarithmic axis." : "",
      "at most", "share of the samples", (value) => number(value) + " %", series, colours,
      { stepped: "after", xTick: tick,
        x: valueAxis(unit, least, most) });
  }

  // ---- tables

  function table(heads, rows) {
    const body = element("tbody", {});
    let last;
    for (const { group, cells } of rows) {
      const line = element("tr", group !== last && last !== undefined ? { class: "first" } : {});
      last = group;
      cells.forEach((cell, i) => line.append(
        cell instanceof Node ? cell : element("td", heads[i][1] ? { class: "number" } : {}, cell)));
      body.append(line);
    }
    const head = element("tr", {}, ...heads.map(([name, right]) =>
      element("th", right ? { scope: "col", class: "number" } : { scope: "col" }, name)));
    return element("div", { class: "table" },
      element("table", {}, element("thead", {}, head), body));
  }

  function range(low, high, unit) {
    return low === undefined || low === high ? "" : `${format(low, unit)} – ${format(high, unit)}`;
  }

  function rowsTable(rows) {
    const heads = [["case"], ["engine"], ["median", 1], ["99 % interval of the mean", 1],
      ["lowest to highest", 1], ["samples", 1], ["times better than", 1]];
    return table(heads, rows.map((row) => {
      if (row.value === null) {
        const why = element("td", { colspan: 5, class: row.failed ? "failed" : "missing" },
          (row.failed ? "failed: " : "missing: ") + row.missing);
        return { group: row.case, cells: [row.case, row.engine, why] };
      }
      const ratio = row.ratio && row.ratio_to !== row.engine
        ? `${number(row.ratio)} × ${row.ratio_to}` : "";
      return { group: row.case, cells: [row.case, row.engine, format(row.value, row.unit),
        range(row.ci99_low, row.ci99_high, row.unit), range(row.low, row.high, row.unit),
        String(row.samples.length), ratio] };
    }));
  }

  /** What a figure is in, as its key tells. */
  function headlineUnit(key) {
    if (key.includes("_vs_")) return " ×";
    if (key.endsWith("_mb")) return " MB";
    if (key.endsWith("_us")) return " µs";
    return key.includes("bytes") ? " bytes" : "";
  }

  function headline(suite) {
    const box = element("div", { class: "headline" });
    for (const [key, value] of Object.entries(suite.headline)) {
      const between = (suite.headline_ci99 || {})[key];
      box.append(element("div", {}, element("b", {}, number(value) + headlineUnit(key)),
        element("span", {}, key + (between
          ? `, 99 % interval ${number(between.low)} - ${number(between.high)}` : ""))));
    }
    for (const key of suite.missing) {
      const why = (suite.missing_why || {})[key];
      box.append(element("div", {}, element("b", { class: "missing" }, "missing"),
        element("span", {}, key + (why ? `: ${why}` : ""))));
    }
    return box;
  }

  // ---- the page

  function drawSuite(name, suite) {
    const section = element("section", { id: name }, element("h2", {}, name), headline(suite));
    document.getElementById("suites").append(section);
    const colours = distinct(suite.rows.map((row) => row.engine));
    const grid = element("div", { class: "charts" });
    section.append(element("h3", {}, "Charts"), element("p", { class: "note" },
      "Bars are medians, dots are samples, whiskers the 99 % interval of the mean."), grid);
    const placed = suite.rows.filter((row) => row.chart);
    for (const [title, rows] of groups(placed, (row) => row.chart)) {
      if (rows.some((row) => row.value !== null)) overSize(grid, title, rows, colours);
    }
    for (const [title, rows] of groups(suite.rows, (row) => row.case)) {
      if (!shows(rows)) continue;
      bars(grid, title, rows, colours);
      const many = rows.filter(
        (row) => row.value !== null && row.unit === "ns" && row.samples.length >= MANY_SAMPLES);
      if (many.length > 0) distribution(grid, title, many, colours);
    }
    if (grid.childElementCount === 0) section.replaceChildren(...section.querySelectorAll("h2, .headline"));
    section.append(element("h3", {}, "All figures"), rowsTable(suite.rows));
  }

  function drawComparison(baseline) {
    const section = element("section", { id: "baseline" },
      element("h2", {}, "Compared with " + baseline.file),
      element("p", { class: "note" }, `Measured ${baseline.started}. Means; significant by `
        + "Welch's t-test at 1 %."));
    if (baseline.other_machine) {
      section.append(element("p", { class: "warning" },
        `The baseline is ${baseline.other_machine}. Changes say little.`));
    }
    const heads = [["suite"], ["case"], ["engine"], ["before", 1], ["now", 1], ["change", 1],
      ["p", 1], ["verdict"]];
    const changes = baseline.changes.map((c) => ({ group: c.suite + c.case,
      cells: [c.suite, c.case, c.engine, format(c.before, c.unit), format(c.now, c.unit),
        c.percent === null ? "" : (c.percent > 0 ? "+" : "") + c.percent.toFixed(1) + " %",
        c.p === null ? "" : c.p.toFixed(3),
        element("td", { class: c.verdict }, c.verdict)] }));
    const absent = baseline.absent.map((c) => ({ group: c.suite + c.case,
      cells: [c.suite, c.case, c.engine, "", "missing", "", "", ""] }));
    section.append(table(heads, changes.concat(absent)));
    document.getElementById("suites").append(section);
  }

  function describe() {
    const { machine, settings } = results;
    const list = document.getElementById("machine");
    for (const [name, value] of [
      ["Machine", `${machine.cpu}, ${machine.cpus} processors, ${number(machine.memory_mb)} MiB`],
      ["System", machine.os],
      ["Java", `${machine.java}, JGit ${machine.jgit}`],
      ["Run", `${settings.effort}; ${number(settings.refs)} refs; objects of up to `
        + `${number(settings.max_mb)} MB; started ${machine.started}`],
      ["S3", settings.server],
    ]) {
      list.append(element("dt", {}, name), element("dd", {}, value));
    }
  }

  function link(id) {
    document.getElementById("contents").append(element("a", { href: "#" + id }, id));
  }

  describe();
  for (const [name, suite] of Object.entries(results.suites)) {
    link(name);
    drawSuite(name, suite);
  }
  if (results.baseline) {
    link("baseline");
    drawComparison(results.baseline);
  }
  function redraw() {
    for (const one of charts) {
      one.chart.destroy();
      one.chart = one.draw();
    }
  }
  DARK_SCREEN.addEventListener("change", redraw);
  for (const [event, light] of [["beforeprint", true], ["afterprint", false]]) {
    addEventListener(event, () => {
      root.classList.toggle("light", light);
      if (DARK_SCREEN.matches) redraw();
    });
  }
  root.dataset.charts = charts.length;
})();
