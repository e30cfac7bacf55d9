// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.snapshot;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import org.eclipse.jgit.annotations.Nullable;
import org.eclipse.jgit.errors.ConfigInvalidException;
import org.eclipse.jgit.lib.Config;

/** Reads {@code hideRefs} of a configuration, as Git does. */
public final class HideRefs {
  private static final String KEY = "hideRefs";
  private static final String TRANSFER = "transfer";

  /** Header of the section {@code transfer} in a config that JGit has written. */
  private static final Pattern TRANSFER_HEADER = Pattern.compile("(?im)^\\s*\\[transfer]");

  private HideRefs() {}

  /**
   * Reads {@code transfer.hideRefs} and the key of a service, in the order of the configuration.
   *
   * <p>A value is the name of a ref or of a directory of refs; {@code !} before it shows what an
   * earlier value hides. {@code ^}, the name with its namespace, changes nothing, since JGit has no
   * namespaces.
   *
   * @param config configuration with its base configurations, whose values come first
   * @param service {@code receive} or {@code uploadpack}
   * @return the refs that are not hidden
   */
  public static RefSelection shown(Config config, String service) {
    return new RefSelection(
        List.of(), values(config, service).stream().map(HideRefs::rule).toList());
  }

  private static RefSelection.Rule rule(@Nullable String value) {
    String name = (value == null ? "" : value).replaceFirst("/+$", "");
    boolean hides = !name.startsWith("!");
    String match = hides ? name : name.substring(1);
    return new RefSelection.Rule(match.startsWith("^") ? match.substring(1) : match, true, hides);
  }

  private static List<String> values(@Nullable Config config, String service) {
    if (config == null) {
      return List.of();
    }
    String[] all = config.getStringList(TRANSFER, null, KEY);
    String[] own = config.getStringList(service, null, KEY);
    if (all.length == 0 || own.length == 0) {
      return Arrays.asList(all.length == 0 ? own : all); // an empty value is null
    }
    List<String> values = new ArrayList<>(values(config.getBaseConfig(), service));
    values.addAll(Arrays.asList(joined(config, service).getStringList(service, null, KEY)));
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
}
