// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.terminal;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.format.DateTimeFormatter;
import java.util.regex.Pattern;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.PersonIdent;
import org.jgits3.manifest.RefChange;

/** Formats changes of refs for commands. */
public final class LogLine {
  private static final Pattern UNPRINTABLE = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]+");

  private LogLine() {}

  /**
   * Change as {@code --json} prints it: an absent id is left out, and a symbolic ref has a target.
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Row(
      String ref,
      String oldId,
      String newId,
      String oldTarget,
      String newTarget,
      String renamedFrom) {
    public static Row of(RefChange c) {
      return new Row(
          c.ref(),
          id(c.oldId()),
          id(c.newId()),
          c.oldTarget().orElse(null),
          c.newTarget().orElse(null),
          c.renamedFrom().orElse(null));
    }

    /** Line for people: old and new value, and the name. */
    public String text() {
      return value(oldTarget, oldId)
          + " "
          + value(newTarget, newId)
          + " "
          + ref
          + (renamedFrom == null ? "" : " (was " + renamedFrom + ")");
    }

    private static String value(String target, String id) {
      return target != null ? "ref:" + target : id == null ? ObjectId.zeroId().name() : id;
    }

    private static String id(ObjectId id) {
      return id.equals(ObjectId.zeroId()) ? null : id.name();
    }
  }

  /** Formats a change for people. */
  public static String of(RefChange c) {
    return printable(Row.of(c).text());
  }

  /** The time of an identity, with its offset from UTC. */
  public static String time(PersonIdent who) {
    return DateTimeFormatter.ISO_OFFSET_DATE_TIME.format(
        who.getWhenAsInstant().atZone(who.getZoneId()).toOffsetDateTime());
  }

  /**
   * Makes a text safe to print in one line on a terminal: removes control characters, those beyond
   * ASCII such as CSI (U+009B) included, line separators, and characters that only change the
   * display of others, such as those that reverse their order.
   */
  public static String printable(String text) {
    return UNPRINTABLE.matcher(text).replaceAll(" ").stripTrailing();
  }

  /** Tests whether {@link #printable} keeps a character. */
  static boolean isPrintable(int character) {
    return switch (Character.getType(character)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          false;
      default -> true;
    };
  }
}
