// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.snapshot;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.SortedMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.eclipse.jgit.annotations.Nullable;
import org.eclipse.jgit.errors.ConfigInvalidException;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.lib.Ref;
import org.jgits3.internal.refs.table.PackedRefsTable;
import org.jgits3.internal.refs.table.RefTable;

/**
 * Choice of refs by their names: those with one of some prefixes, unless the last rule that matches
 * a name leaves it out. Immutable.
 */
public final class RefSelection {
  /** All refs. */
  public static final RefSelection ALL = new RefSelection(List.of(), List.of());

  private static final String HIDE_REFS = "hideRefs";
  private static final String TRANSFER = "transfer";

  /** Header of the section {@code transfer} in a config that JGit has written. */
  private static final Pattern TRANSFER_HEADER = Pattern.compile("(?im)^\\s*\\[transfer]");

  /** Prefixes of which none begins with another; empty for all names. */
  private final NavigableSet<String> prefixes = new TreeSet<>();

  private final List<Rule> rules;

  /**
   * Rule that leaves out the refs whose names it matches, or takes them in again. Immutable.
   *
   * @param text beginning of the names
   * @param whole true if the names end there or go on with a slash, as in Git's {@code hideRefs}
   * @param leavesOut true to leave the refs out, false to take them in
   */
  record Rule(String text, boolean whole, boolean leavesOut) {
    boolean matches(String name) {
      return name.startsWith(text)
          && (!whole || name.length() == text.length() || name.charAt(text.length()) == '/');
    }

    /** Ranges of a table with the refs that match. */
    List<PackedRefsTable.Range> ranges(RefTable table) {
      if (!whole) {
        return List.of(table.range(text));
      }
      PackedRefsTable.Range below = table.range(text + '/');
      int at = table.find(text);
      return at < 0 ? List.of(below) : List.of(new PackedRefsTable.Range(at, at + 1), below);
    }
  }

  /**
   * Selects refs.
   *
   * @param prefixes prefixes of their names; none for all names
   * @param rules rules, of which a later one overrides an earlier one
   */
  RefSelection(Collection<String> prefixes, List<Rule> rules) {
    this.rules = List.copyOf(rules);
    for (String prefix : new TreeSet<>(prefixes)) {
      if (!hasPrefix(prefix)) {
        this.prefixes.add(prefix);
      }
    }
  }

  /** Tests whether a name has one of the prefixes, of which only the nearest one can be it. */
  private boolean hasPrefix(String name) {
    String nearest = prefixes.floor(name);
    return nearest != null && name.startsWith(nearest);
  }

  /** Refs with a prefix, without those that have one of some others. */
  static RefSelection of(String prefix, Collection<String> excludes) {
    return new RefSelection(
        List.of(prefix), excludes.stream().map(e -> new Rule(e, false, true)).toList());
  }

  /**
   * Refs that a configuration does not hide. Reads {@code transfer.hideRefs} and the key of a
   * service, in the order of the configuration.
   *
   * <p>A value is the name of a ref or of a directory of refs; {@code !} before it shows what an
   * earlier value hides. {@code ^}, the name with its namespace, changes nothing, since JGit has no
   * namespaces.
   *
   * @param config configuration with its base configurations, whose values come first
   * @param service {@code receive} or {@code uploadpack}
   * @return the refs that are not hidden
   */
  public static RefSelection notHidden(Config config, String service) {
    return new RefSelection(
        List.of(), values(config, service).stream().map(RefSelection::rule).toList());
  }

  private static Rule rule(@Nullable String value) {
    String name = (value == null ? "" : value).replaceFirst("/+$", "");
    boolean hides = !name.startsWith("!");
    String match = hides ? name : name.substring(1);
    return new Rule(match.startsWith("^") ? match.substring(1) : match, true, hides);
  }

  private static List<String> values(@Nullable Config config, String service) {
    if (config == null) {
      return List.of();
    }
    String[] all = config.getStringList(TRANSFER, null, HIDE_REFS);
    String[] own = config.getStringList(service, null, HIDE_REFS);
    if (all.length == 0 || own.length == 0) {
      return Arrays.asList(all.length == 0 ? own : all); // an empty value is null
    }
    List<String> values = new ArrayList<>(values(config.getBaseConfig(), service));
    values.addAll(Arrays.asList(joined(config, service).getStringList(service, null, HIDE_REFS)));
    return values;
  }

  /** Moves the section {@code transfer} to that of the service: JGit orders within one section. */
  private static Config joined(Config config, String service) {
    Config joined = new Config();
    try {
      joined.fromText(TRANSFER_HEADER.matcher(config.toText()).replaceAll("[" + service + "]"));
    } catch (ConfigInvalidException e) {
      throw new IllegalArgumentException("config cannot be read: " + e.getMessage(), e);
    }
    return joined;
  }

  /**
   * Restricts the rules to names with one of some prefixes.
   *
   * @param those the prefixes, instead of those of this selection; none for all names
   * @return the selection
   */
  public RefSelection under(Collection<String> those) {
    return new RefSelection(those, rules);
  }

  /**
   * Leaves out one ref more.
   *
   * @param name its full name
   * @return the selection
   */
  public RefSelection without(String name) {
    return new RefSelection(
        prefixes, Stream.concat(rules.stream(), Stream.of(new Rule(name, true, true))).toList());
  }

  /** Tests whether all refs are selected. */
  public boolean isAll() {
    return prefixes.isEmpty() && rules.isEmpty();
  }

  /**
   * Leaves out the refs that are not selected.
   *
   * @param all refs by name
   * @return the others
   */
  public Map<String, Ref> of(Map<String, Ref> all) {
    Map<String, Ref> selected = new HashMap<>(all);
    selected.keySet().removeIf(name -> !has(name));
    return selected;
  }

  /**
   * Tests whether a name is selected.
   *
   * @param name full name of a ref
   * @return true if it is
   */
  public boolean has(String name) {
    if (!prefixes.isEmpty() && !hasPrefix(name)) {
      return false;
    }
    for (int i = rules.size() - 1; i >= 0; i--) {
      if (rules.get(i).matches(name)) {
        return !rules.get(i).leavesOut();
      }
    }
    return true;
  }

  /**
   * The selected names of a map, in its order. Looks at few others if all of them have one prefix.
   *
   * @param refs map with names of refs as keys
   */
  Stream<String> among(SortedMap<String, ?> refs) {
    if (prefixes.size() != 1) {
      return refs.keySet().stream().filter(this::has);
    }
    String prefix = prefixes.first();
    return refs.tailMap(prefix).keySet().stream()
        .takeWhile(name -> name.startsWith(prefix))
        .filter(this::has);
  }

  /** The ranges of a table that are selected, in order. Looks at no ref of the others. */
  List<PackedRefsTable.Range> ranges(RefTable table) {
    List<PackedRefsTable.Range> wanted =
        (prefixes.isEmpty() ? Stream.of("") : prefixes.stream())
            .map(table::range)
            .sorted(Comparator.comparingInt(PackedRefsTable.Range::from))
            .toList();
    if (rules.isEmpty()) {
      return wanted;
    }
    List<List<PackedRefsTable.Range>> matches =
        rules.stream().map(rule -> rule.ranges(table)).toList();
    NavigableSet<Integer> cuts = new TreeSet<>();
    matches.stream()
        .flatMap(List::stream)
        .forEach(range -> cuts.addAll(List.of(range.from(), range.to())));
    List<PackedRefsTable.Range> selected = new ArrayList<>();
    for (PackedRefsTable.Range range : wanted) {
      int from = range.from();
      for (int cut : cuts.subSet(from, false, range.to(), false)) {
        add(selected, from, cut, matches);
        from = cut;
      }
      add(selected, from, range.to(), matches);
    }
    return selected;
  }

  /** Adds the refs between two cuts, of which the first one stands for all. */
  private void add(
      List<PackedRefsTable.Range> selected,
      int from,
      int to,
      List<List<PackedRefsTable.Range>> matches) {
    for (int i = rules.size() - 1; i >= 0 && from < to; i--) {
      if (matches.get(i).stream().anyMatch(range -> range.from() <= from && from < range.to())) {
        if (!rules.get(i).leavesOut()) {
          break;
        }
        return;
      }
    }
    selected.add(new PackedRefsTable.Range(from, to));
  }
}
