// SPDX-License-Identifier: Apache-2.0
package org.jgits3.transfer;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.eclipse.jgit.lib.Config;

/**
 * The configuration that belongs to a repository wherever it is: all but what says where it was, on
 * which machine, and who used it there, credentials above all.
 */
final class MovableConfig {
  private static final String CORE = "core";
  private static final String HTTP = "http";

  /** Keys of {@code [http]} that are about serving the repository; the others are a client's. */
  private static final Set<String> SERVING = Set.of("receivepack", "uploadpack", "getanyfile");

  private static final Set<String> LEFT_BEHIND =
      Set.of(
          // the directory and the machine
          CORE,
          "extensions",
          "include",
          "includeif",
          "index",
          "maintenance",
          "safe",
          "splitindex",
          "submodule",
          "trace2",
          // other repositories, as seen from there
          "branch",
          "remote",
          "remotes",
          "svn",
          "svn-remote",
          "url",
          // the user
          "alias",
          "author",
          "browser",
          "color",
          "commit",
          "committer",
          "credential",
          "difftool",
          "gitcvs",
          "gpg",
          "gui",
          "imap",
          "mergetool",
          "pager",
          "pull",
          "push",
          "rebase",
          "sendemail",
          "user");

  private MovableConfig() {}

  /**
   * What moves of a configuration.
   *
   * @param source configuration of a repository, without those it includes; it is used up
   * @return its text for a bare repository, order and comments kept
   */
  static String textOf(Config source) {
    for (String section : List.copyOf(source.getSections())) {
      String lower = section.toLowerCase(Locale.ROOT);
      if (LEFT_BEHIND.contains(lower)) {
        unset(source, section);
      } else if (lower.equals(HTTP)) {
        unsetOfClients(source, section);
      }
    }
    source.setInt(CORE, null, "repositoryformatversion", 0);
    source.setBoolean(CORE, null, "bare", true);
    return source.toText();
  }

  private static void unset(Config source, String section) {
    List.copyOf(source.getSubsections(section)).forEach(s -> source.unsetSection(section, s));
    source.unsetSection(section, null);
  }

  private static void unsetOfClients(Config source, String section) {
    List.copyOf(source.getSubsections(section)).forEach(s -> source.unsetSection(section, s));
    for (String key : List.copyOf(source.getNames(section))) {
      if (!SERVING.contains(key.toLowerCase(Locale.ROOT))) {
        source.unset(section, null, key);
      }
    }
  }
}
