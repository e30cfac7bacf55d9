// SPDX-License-Identifier: Apache-2.0
package org.jgits3.transfer;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.eclipse.jgit.annotations.Nullable;
import org.eclipse.jgit.lib.Config;

/**
 * Selects the configuration that an import copies: keys known to be about serving and packing the
 * repository. All other keys stay behind, because a key of Git or of another tool may name a
 * command to run, a file, another machine, or a secret. Comments stay behind as well.
 */
final class ImportedConfig {
  private static final String CORE = "core";

  /** Tests for the keys to copy, by section and subsection, all in lower case. */
  private static final Map<String, Predicate<String>> MOVES =
      Map.ofEntries(
          Map.entry("commitgraph", key -> true),
          Map.entry("fsck", ImportedConfig::isFsckMessage),
          Map.entry(
              "gc",
              Set.of(
                      "aggressivedepth",
                      "aggressivewindow",
                      "auto",
                      "autodetach",
                      "autopacklimit",
                      "bigpackthreshold",
                      "cruftpacks",
                      "logexpiry",
                      "maxcruftsize",
                      "packrefs",
                      "pruneexpire",
                      "prunepackexpire",
                      "reflogexpire",
                      "reflogexpireunreachable",
                      "writechangedpaths",
                      "writecommitgraph")
                  ::contains),
          Map.entry(
              "gitweb",
              Set.of(
                      "avatar",
                      "blame",
                      "category",
                      "description",
                      "grep",
                      "highlight",
                      "owner",
                      "patches",
                      "pickaxe",
                      "remote_heads",
                      "showsizes",
                      "snapshot")
                  ::contains),
          Map.entry("http", Set.of("getanyfile", "receivepack", "uploadpack")::contains),
          Map.entry("i18n", Set.of("commitencoding", "logoutputencoding")::contains),
          Map.entry("pack", key -> true),
          Map.entry(
              "receive",
              Set.of(
                      "advertiseatomic",
                      "advertisepushoptions",
                      "autogc",
                      "denycurrentbranch",
                      "denydeletecurrent",
                      "denydeletes",
                      "denynonfastforwards",
                      "fsckobjects",
                      "hiderefs",
                      "keepalive",
                      "maxcommandbytes",
                      "maxcommanddiscardbytes",
                      "maxinputsize",
                      "maxobjectsizelimit",
                      "shallowupdate",
                      "unpacklimit",
                      "updateserverinfo")
                  ::contains),
          Map.entry("receive.fsck", ImportedConfig::isFsckMessage),
          Map.entry("repack", key -> true),
          Map.entry(
              "transfer",
              Set.of(
                      "advertiseobjectinfo",
                      "advertisesid",
                      "fsckobjects",
                      "hiderefs",
                      "unpacklimit")
                  ::contains),
          Map.entry("uploadarchive", Set.of("allowunreachable")::contains),
          Map.entry(
              "uploadpack",
              Set.of(
                      "allowanysha1inwant",
                      "allowfilter",
                      "allowreachablesha1inwant",
                      "allowrefinwant",
                      "allowtipsha1inwant",
                      "hiderefs",
                      "keepalive")
                  ::contains));

  private ImportedConfig() {}

  /** Tests whether a key sets the severity of a message of fsck; the other key names a file. */
  private static boolean isFsckMessage(String key) {
    return !key.equals("skiplist");
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
    Predicate<String> moves = MOVES.getOrDefault(name.toLowerCase(Locale.ROOT), key -> false);
    for (String key : source.getNames(section, subsection)) {
      if (moves.test(key.toLowerCase(Locale.ROOT))) {
        String[] values = source.getStringList(section, subsection, key);
        moved.setStringList(section, subsection, key, List.of(values));
      }
    }
  }
}
