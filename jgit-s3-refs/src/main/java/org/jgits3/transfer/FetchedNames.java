// SPDX-License-Identifier: Apache-2.0
package org.jgits3.transfer;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Stream;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.transport.URIish;

/**
 * Checks that refs of a remote repository really have the names that JGit has read. JGit decodes
 * bytes that are not UTF-8 in the default charset or else in Latin-1, which gives another name. A
 * name that may be the result is requested in UTF-8: a remote that does not know it has it in other
 * bytes. Used by one thread.
 */
final class FetchedNames {
  /** Prefixes of one request; Git ignores prefixes if there are more than 65,536. */
  private static final int PREFIXES = 1000;

  private final URIish uri;
  private final Set<String> known = new HashSet<>();

  /**
   * Creates a check.
   *
   * @param uri URL that the refs are fetched from
   */
  FetchedNames(URIish uri) {
    this.uri = uri;
  }

  /**
   * Checks all names, those of symbolic targets included. Asks the remote only about doubtful
   * names, once for each.
   *
   * @param refs refs as JGit has read them
   * @param listing reads them again
   * @throws IOException if a name is not UTF-8, the remote does not answer, or it has no such ref
   *     any more
   */
  void check(SourceRefs refs, RemoteRefs listing) throws IOException {
    Set<String> doubtful = new TreeSet<>();
    Stream.of(refs.direct().keySet(), refs.symbolic().keySet(), refs.symbolic().values())
        .flatMap(Collection::stream)
        .filter(name -> isDoubtful(name) && !known.contains(name))
        .forEach(doubtful::add);
    if (doubtful.isEmpty()) {
      return;
    }
    if ("bundle".equals(uri.getScheme())) {
      checkBundle(Path.of(uri.getPath()));
    } else {
      ask(doubtful, listing);
    }
    known.addAll(doubtful);
  }

  /** Tests whether JGit may have decoded a name from bytes that are not UTF-8. */
  private static boolean isDoubtful(String name) {
    Charset fallback = Charset.defaultCharset();
    return !US_ASCII.newEncoder().canEncode(name)
        && (ISO_8859_1.newEncoder().canEncode(name)
            || name.indexOf('\ufffd') >= 0
            || (!fallback.equals(UTF_8)
                && fallback.canEncode()
                && fallback.newEncoder().canEncode(name)));
  }

  private void ask(Set<String> doubtful, RemoteRefs listing) throws IOException {
    String none = Constants.R_HEADS + UUID.randomUUID(); // valid, since JGit's server wants that
    if (!listing.under(List.of(none)).isEmpty()) { // protocol version 0, or files over HTTP
      throw new IOException(
          uri
              + ": does not tell whether the name of "
              + some(doubtful)
              + " is UTF-8, without protocol version 2; import the directory that git clone"
              + " --mirror makes of it");
    }
    List<String> names = new ArrayList<>(doubtful);
    Set<String> other = new TreeSet<>();
    for (int from = 0; from < names.size(); from += PREFIXES) {
      List<String> asked = names.subList(from, Math.min(from + PREFIXES, names.size()));
      other.addAll(asked);
      other.removeAll(confirmed(asked, listing));
    }
    // By itself, since no other one's prefix is answered then.
    while (!other.isEmpty()) {
      String name = other.iterator().next();
      if (!confirmed(List.of(name), listing).contains(name)) {
        throw unconfirmed(name, other, listing);
      }
      other.remove(name);
    }
  }

  /**
   * Creates the failure for a name that the remote does not know: it has other bytes, or was
   * deleted.
   */
  private IOException unconfirmed(String name, Set<String> unknown, RemoteRefs listing)
      throws IOException {
    Set<String> there = new TreeSet<>();
    for (Ref ref : listing.all()) {
      if (unknown.contains(ref.getName())) {
        there.add(ref.getName());
      }
    }
    return new IOException(
        there.contains(name)
            ? uri + ": the name of " + some(there) + " is not UTF-8; give the ref another one"
            : uri + ": " + name + " was deleted there after it had been listed; import again");
  }

  private Set<String> confirmed(List<String> asked, RemoteRefs listing) throws IOException {
    Set<String> misread = new HashSet<>();
    for (String name : asked) {
      misread.add(new String(name.getBytes(UTF_8), ISO_8859_1));
    }
    Set<String> confirmed = new HashSet<>();
    for (Ref ref : listing.under(asked)) {
      String name = ref.getName();
      if (!beginsWithOneOf(misread, name)) {
        confirmed.add(name);
      }
    }
    return confirmed;
  }

  /**
   * Tests whether a name may match the prefix of another only because of bytes that are not UTF-8.
   */
  private static boolean beginsWithOneOf(Set<String> prefixes, String name) {
    for (int end = 1; end <= name.length(); end++) {
      if (prefixes.contains(name.substring(0, end))) {
        return true;
      }
    }
    return false;
  }

  /** Checks the header of a bundle: lines up to the first empty one. */
  private static void checkBundle(Path bundle) throws IOException {
    try (InputStream in = new BufferedInputStream(Files.newInputStream(bundle))) {
      ByteArrayOutputStream line = new ByteArrayOutputStream();
      for (int next = in.read(); next >= 0; next = in.read()) {
        if (next != '\n') {
          line.write(next);
        } else if (line.size() == 0) {
          return;
        } else {
          checkLine(bundle, line.toByteArray());
          line.reset();
        }
      }
    }
  }

  private static void checkLine(Path bundle, byte[] line) throws IOException {
    try {
      UTF_8.newDecoder().decode(ByteBuffer.wrap(line));
    } catch (CharacterCodingException e) {
      throw new IOException(
          bundle
              + ": the name in '"
              + new String(line, ISO_8859_1)
              + "' is not UTF-8; give the ref another one",
          e);
    }
  }

  private static String some(Set<String> names) {
    String first = names.iterator().next();
    return names.size() == 1 ? first : first + " (and of " + (names.size() - 1) + " more refs)";
  }
}
