// SPDX-License-Identifier: Apache-2.0
package org.jgits3.transfer;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.eclipse.jgit.annotations.Nullable;
import org.eclipse.jgit.lib.Config;

/**
 * Selects the configuration that an import copies: keys known to be about serving and packing the
 * repository. All other keys stay behind, because a key of Git or of another tool may name a
 * command to run, a file, another machine, or a secret. Comments stay behind as well.
 */
final class ImportedConfig {
  private static final String CORE = "core";

  /**
   * Keys to copy, of each section and subsection, all in lower case. A star stands for all keys,
   * those after a minus left out: {@code skipList} names a file.
   */
  private static final Map<String, Set<String>> MOVES =
      table(
          """
          commitgraph: *
          fsck: * -skiplist
          gc: aggressivedepth aggressivewindow auto autodetach autopacklimit bigpackthreshold
            cruftpacks logexpiry maxcruftsize packrefs pruneexpire prunepackexpire reflogexpire
            reflogexpireunreachable writechangedpaths writecommitgraph
          gitweb: avatar blame category description grep highlight owner patches pickaxe
            remote_heads showsizes snapshot
          http: getanyfile receivepack uploadpack
          i18n: commitencoding logoutputencoding
          pack: *
          receive: advertiseatomic advertisepushoptions autogc denycurrentbranch
            denydeletecurrent denydeletes denynonfastforwards fsckobjects hiderefs keepalive
            maxcommandbytes maxcommanddiscardbytes maxinputsize maxobjectsizelimit shallowupdate
            unpacklimit updateserverinfo
          receive.fsck: * -skiplist
          repack: *
          transfer: advertiseobjectinfo advertisesid fsckobjects hiderefs unpacklimit
          uploadarchive: allowunreachable
          uploadpack: allowanysha1inwant allowfilter allowreachablesha1inwant allowrefinwant
            allowtipsha1inwant hiderefs keepalive
          """);

  private ImportedConfig() {}

  /** Reads keys by section; a word with a colon begins a section. */
  private static Map<String, Set<String>> table(String text) {
    Map<String, Set<String>> table = new HashMap<>();
    Set<String> keys = Set.of();
    for (String word : text.strip().split("\\s+", -1)) {
      if (word.endsWith(":")) {
        keys = new HashSet<>();
        table.put(word.substring(0, word.length() - 1), keys);
      } else {
        keys.add(word);
      }
    }
    return table;
  }

  /**
   * Selects the text to copy from a configuration.
   *
   * @param source configuration of a repository, without those it includes
   * @return its text for a bare repository
   */
  static String textOf(Config source) {
    Config moved = new Config();
    moved.setInt(CORE, null, "repositoryformatversion", 0);
    moved.setBoolean(CORE, null, "bare", true);
    for (String section : source.getSections()) {
      move(source, section, null, moved);
      for (String subsection : source.getSubsections(section)) {
        move(source, section, subsection, moved);
      }
    }
    return moved.toText();
  }

  private static void move(
      Config source, String section, @Nullable String subsection, Config moved) {
    String name = subsection == null ? section : section + "." + subsection;
    Set<String> keys = MOVES.getOrDefault(name.toLowerCase(Locale.ROOT), Set.of());
    for (String key : source.getNames(section, subsection)) {
      String lower = key.toLowerCase(Locale.ROOT);
      if (keys.contains(lower) || (keys.contains("*") && !keys.contains("-" + lower))) {
        String[] values = source.getStringList(section, subsection, key);
        moved.setStringList(section, subsection, key, List.of(values));
      }
    }
  }
}
