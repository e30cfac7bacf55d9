// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack.check;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.eclipse.jgit.errors.CorruptObjectException;
import org.eclipse.jgit.lib.AnyObjectId;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.GitmoduleEntry;
import org.eclipse.jgit.lib.ObjectChecker;
import org.eclipse.jgit.lib.ObjectChecker.ErrorType;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.util.RawParseUtils;

/**
 * Finds the faults of commits, tags and trees that Git's fsck finds and JGit's {@link
 * ObjectChecker} does not. The settings of a checker apply: a fault of a name, an address, a date,
 * a time zone or the name of a file is ignored where the checker ignores those that JGit finds, and
 * objects of its skip list have none. Files that a file system takes for {@code .gitmodules} are
 * added to those that the checker has found.
 */
public final class ObjectFaults {
  /** Digits of the largest date that Git accepts, 2<sup>63</sup> - 1. */
  private static final int MOST_DIGITS = 19;

  /** Rest of a line behind the address: the date, and perhaps a time zone. */
  private static final Pattern DATE = Pattern.compile(" [ \t]*([0-9]+) (.*)\n");

  private static final Pattern ZONE = Pattern.compile("[+-][0-9]{4}");

  /** Characters of names that macOS ignores, and all that is behind a byte that is no UTF-8. */
  private static final Pattern UNSEEN =
      Pattern.compile(
          "[\\u200c-\\u200f\\u202a-\\u202e\\u206a-\\u206f\\ufeff]|\\ufffd.*", Pattern.DOTALL);

  private static final Pattern DOT_GIT = inAnyCase("\\.git");
  private static final Pattern DOT_GIT_MODULES = inAnyCase("\\.gitmodules");

  /** Names that lead to {@code .git} on Windows, where a backslash ends a directory. */
  private static final Pattern GIT = inAnyCase("(.*\\\\)?(\\.git|git~1)[. ]*([\\\\:].*)?");

  private static final Pattern MODULES =
      inAnyCase(
          "(.*\\\\)?(\\.gitmodules|gitmod~[1-4]|gi7eba~[1-9]|gi7eb~[1-9][0-9]|gi7e~[1-9][0-9]{2}"
              + "|gi7~[1-9][0-9]{3}|gi~[1-9][0-9]{4}|g~[1-9][0-9]{5}|~[1-9][0-9]{6})[. ]*(:.*)?");

  private static final byte[] SYMLINK = Constants.encodeASCII("120000 ");

  /** Id in the text of a commit; its end is one in the bytes of a tree, too. */
  private static final String SOME_ID = "1".repeat(Constants.OBJECT_ID_STRING_LENGTH);

  private static final Set<String> TYPES =
      Set.of(Constants.TYPE_COMMIT, Constants.TYPE_TREE, Constants.TYPE_BLOB, Constants.TYPE_TAG);

  private final ObjectChecker checker;
  private final AnyObjectId id;
  private final String type;
  private final byte[] data;
  private int at;

  /** Letters of ASCII match in any case, no other ones do. */
  private static Pattern inAnyCase(String names) {
    return Pattern.compile(names, Pattern.CASE_INSENSITIVE | Pattern.DOTALL);
  }

  private ObjectFaults(ObjectChecker checker, AnyObjectId id, int type, byte[] data) {
    this.checker = checker;
    this.id = id;
    this.type = Constants.typeString(type);
    this.data = data;
  }

  /**
   * Checks an object in which a checker has found no fault.
   *
   * @param checker the checker
   * @param id id of the object
   * @param type its type, one of the constants of Git
   * @param data its content
   * @throws CorruptObjectException if it has a fault
   */
  public static void check(ObjectChecker checker, AnyObjectId id, int type, byte[] data)
      throws CorruptObjectException {
    ObjectFaults object = new ObjectFaults(checker, id, type, data);
    if (type == Constants.OBJ_COMMIT) {
      object.checkCommit();
    } else if (type == Constants.OBJ_TAG) {
      object.checkTag();
    } else if (type == Constants.OBJ_TREE) {
      object.checkTree();
    }
  }

  private void checkTree() throws CorruptObjectException {
    while (at < data.length) {
      int name = RawParseUtils.next(data, at, ' ');
      int end = RawParseUtils.next(data, name, '\0') - 1;
      boolean link = RawParseUtils.match(data, at, SYMLINK) >= 0;
      if (mayBeGit(name, end, link)) {
        checkName(name, end, link);
      }
      at = end + 1 + Constants.OBJECT_ID_LENGTH;
    }
  }

  /**
   * Tests whether a name has a letter that all long names like {@code .git} have, and begins like
   * it, has an unusual byte or end, or is that of a symbolic link; or is like a short name.
   */
  private boolean mayBeGit(int from, int to, boolean link) {
    boolean letter = false;
    boolean suspect = link || (from < to && (data[to - 1] == '.' || data[to - 1] == ' '));
    for (int i = from; i < to; i++) {
      boolean g = data[i] == 'g' || data[i] == 'G';
      letter |= g || data[i] == '~';
      suspect |= g && i == from + 1 && data[from] == '.';
      suspect |= data[i] < 0 || data[i] == '\\' || data[i] == ':' || data[i] == '~';
    }
    return letter && suspect;
  }

  /** Checks a name that file systems of Windows or macOS may take for another one. */
  private void checkName(int from, int to, boolean link) throws CorruptObjectException {
    String onMac = UNSEEN.matcher(new String(data, from, to - from, UTF_8)).replaceAll("");
    String onWindows = new String(data, from, to - from, ISO_8859_1);
    if (DOT_GIT.matcher(onMac).matches() || GIT.matcher(onWindows).matches()) {
      reportName(ErrorType.HAS_DOTGIT, "a file system takes a name for .git");
    }
    if (DOT_GIT_MODULES.matcher(onMac).matches() || MODULES.matcher(onWindows).matches()) {
      if (link) {
        reportName(
            ErrorType.GITMODULES_SYMLINK,
            "a file system takes the name of a symbolic link for .gitmodules");
      } else if (!onWindows.equals(Constants.DOT_GIT_MODULES)) { // that is known to the checker
        ObjectId modules = ObjectId.fromRaw(data, to + 1);
        checker.getGitsubmodules().add(new GitmoduleEntry(id, modules));
      }
    }
  }

  private void checkCommit() throws CorruptObjectException {
    int header = checkHeader();
    for (int i = header; i < data.length; i++) {
      if (data[i] == 0) {
        report("has a NUL byte in the message");
      }
    }
    while (begins("tree ") || begins("parent ")) {
      at = RawParseUtils.nextLF(data, at);
    }
    while (begins("author ")) {
      checkPerson("author ");
    }
    if (begins("committer ")) {
      checkPerson("committer ");
    }
  }

  private void checkTag() throws CorruptObjectException {
    checkHeader();
    if (begins("object ")) {
      at = RawParseUtils.nextLF(data, at);
    }
    if (begins("type ")) {
      int from = at + "type ".length();
      at = RawParseUtils.nextLF(data, at);
      if (!TYPES.contains(new String(data, from, at - 1 - from, ISO_8859_1))) {
        report("has an unknown type");
      }
    }
    if (begins("tag ")) {
      at = RawParseUtils.nextLF(data, at);
    }
    if (begins("tagger ")) {
      checkPerson("tagger ");
    }
  }

  /** Checks the bytes before the message; returns their number. */
  private int checkHeader() throws CorruptObjectException {
    for (int i = 0; i < data.length; i++) {
      if (data[i] == 0) {
        report("has a NUL byte in the header");
        return data.length;
      }
      if (data[i] == '\n' && i + 1 < data.length && data[i + 1] == '\n') {
        return i + 1;
      }
    }
    if (data.length > 0 && data[data.length - 1] != '\n') {
      report("has a header without end");
    }
    return data.length;
  }

  private boolean begins(String with) {
    return RawParseUtils.match(data, at, Constants.encodeASCII(with)) >= 0;
  }

  /** Checks a line with a person and a date, and goes to the next line. */
  private void checkPerson(String begin) throws CorruptObjectException {
    int from = at + begin.length();
    at = RawParseUtils.nextLF(data, at);
    String line = new String(data, from, at - from, ISO_8859_1);
    int email = line.indexOf('<');
    int end = line.indexOf('>', email + 1);
    int other = line.indexOf('<', email + 1);
    int bad = line.indexOf('>');
    String who = begin.trim();
    if (email == 0) {
      reportPerson(ErrorType.MISSING_EMAIL, "A", "the " + who + " has no name");
    } else if (email < 0 || bad < email) {
      reportPerson(ErrorType.MISSING_EMAIL, "A", "the " + who + " has a name with '>'");
    } else if (line.charAt(email - 1) != ' ') {
      reportPerson(ErrorType.MISSING_EMAIL, "A", "the " + who + " has no space before the address");
    } else if (end < 0 || (other >= 0 && other < end)) {
      reportPerson(ErrorType.BAD_EMAIL, "A <a", "the " + who + " has an address with '<'");
    } else {
      checkDate(line.substring(end + 1), who);
    }
  }

  /** Checks the rest of a line, behind the address. */
  private void checkDate(String text, String who) throws CorruptObjectException {
    Matcher parts = DATE.matcher(text);
    if (!parts.matches()) {
      reportPerson(ErrorType.BAD_DATE, "A <a> x +0000", "the " + who + " has no date");
      return;
    }
    String date = parts.group(1);
    if (date.length() > 1 && date.charAt(0) == '0') {
      reportPerson(
          ErrorType.BAD_DATE, "A <a> x +0000", "the " + who + " has a date that begins with 0");
    } else if (date.length() > MOST_DIGITS || Long.parseUnsignedLong(date) < 0) {
      reportPerson(
          ErrorType.BAD_DATE, "A <a> x +0000", "the " + who + " has a date of more than 63 bits");
    } else if (!ZONE.matcher(parts.group(2)).matches()) {
      reportPerson(
          ErrorType.BAD_TIMEZONE,
          "A <a> 1 x",
          "the " + who + " has a time zone that has not four digits");
    }
  }

  /** Reports a fault that no setting but the skip list makes a checker ignore. */
  private void report(String why) throws CorruptObjectException {
    try {
      checker.checkCommit(id, new byte[0]);
    } catch (CorruptObjectException e) {
      throw new CorruptObjectException(type + " " + id.name() + " " + why, e);
    }
  }

  /** Reports a fault unless the checker ignores that of a similar object, which JGit finds. */
  private void report(ErrorType fault, int similarType, String similar, String why)
      throws CorruptObjectException {
    try {
      checker.check(id, similarType, similar.getBytes(ISO_8859_1));
    } catch (CorruptObjectException e) {
      throw new CorruptObjectException(fault, id, why);
    }
  }

  private void reportPerson(ErrorType fault, String similar, String why)
      throws CorruptObjectException {
    String commit = "tree " + SOME_ID + "\nauthor " + similar + "\ncommitter A <a> 1 +0000\n";
    report(fault, Constants.OBJ_COMMIT, commit, why);
  }

  private void reportName(ErrorType fault, String why) throws CorruptObjectException {
    report(fault, Constants.OBJ_TREE, "100644 .git\0" + SOME_ID.substring(20), why);
  }
}
