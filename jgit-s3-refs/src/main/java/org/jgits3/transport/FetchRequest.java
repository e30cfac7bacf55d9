// SPDX-License-Identifier: Apache-2.0
package org.jgits3.transport;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.eclipse.jgit.annotations.Nullable;
import org.eclipse.jgit.errors.MissingObjectException;
import org.eclipse.jgit.errors.PackProtocolException;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectReader;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.revwalk.RevCommit;
import org.eclipse.jgit.revwalk.RevFlag;
import org.eclipse.jgit.revwalk.RevWalk;
import org.jgits3.internal.pack.AlikeIds;

/**
 * The request of a fetch, edited so that JGit serves it as Git does. What cannot be read, or would
 * take hours, is refused with its reason.
 *
 * <p>A depth counts from what the client wants, as JGit understands it, where {@code git fetch
 * --deepen} counts from the commits at which the client's history ends. The depth reaches as far as
 * the client asks below the farthest of these commits, and beyond all commits that no such end is
 * above, so that the history of no branch gets an end that it has not had. Below nearer ends it may
 * reach farther. A time at which the history ends is that of the oldest wanted commit if the client
 * says a later one.
 *
 * <p>JGit applies the filter {@code tree:0} to wanted trees and blobs, too, which Git sends
 * whatever the filter. A client that wants some gets what {@code tree:1} lets through: wanted trees
 * and blobs, and the root trees of commits. JGit refuses a depth if no commit is wanted; in
 * protocol 2 it is ignored, as by Git.
 */
final class FetchRequest extends RequestPackets {
  private static final String COMMAND = "command=";
  private static final String OBJECT_FORMAT = "object-format=";
  private static final String WANT = "want ";
  private static final String WANT_REF = "want-ref ";
  private static final String SHALLOW = "shallow ";
  private static final String HAVE = "have ";
  private static final String DEEPEN = "deepen ";
  private static final String DEEPEN_NOT = "deepen-not ";
  private static final String DEEPEN_SINCE = "deepen-since ";
  private static final String RELATIVE = "deepen-relative";
  private static final String NO_TREES = "filter tree:0";
  private static final String ROOT_TREES = "filter tree:1";

  private final Repository repository;
  private final Set<ObjectId> shallow = new HashSet<>();
  private final Set<ObjectId> wants = new LinkedHashSet<>();

  /** Commits before which the history is to end, as far as the client names them by their ids. */
  private final Set<ObjectId> ends = new HashSet<>();

  /** Ids of the request by their hash codes, as in the sets that JGit makes of them. */
  private final AlikeIds named = new AlikeIds();

  private boolean relative;

  private boolean protocol2;

  /** True if the next want may have capabilities, as the first one of protocol 0. */
  private boolean hasCapabilities = true;

  /** True if a client of protocol 0 takes tags with the commits that they point to. */
  private boolean takesTags;

  /** True if the history is to end at a time or before a ref. */
  private boolean bounded;

  /** True if the history is to have a depth. */
  private boolean hasDepth;

  private boolean afterWants;

  /** True if a filter leaves out all trees, which is kept until all wants are known. */
  private boolean withoutTrees;

  /** Depth as the client says it, which is kept until all wants are known; null for none. */
  @Nullable private String depth;

  /** Time as the client says it, which is kept until all wants are known; null for none. */
  @Nullable private String since;

  /**
   * Reads a request.
   *
   * @param request the packets of the client
   * @param repository repository that is fetched from
   */
  FetchRequest(InputStream request, Repository repository) {
    super(request);
    this.repository = repository;
  }

  @Override
  byte[] edit(byte[] packet) throws IOException {
    afterWants = isFlush(packet);
    if (packet.length <= LENGTH) {
      return afterWants ? end(packet) : packet;
    }
    String line = new String(packet, LENGTH, packet.length - LENGTH, UTF_8);
    if (line.endsWith("\n")) {
      line = line.substring(0, line.length() - 1);
    }
    protocol2 |= line.startsWith(COMMAND);
    hasCapabilities &= !protocol2;
    if (line.startsWith(OBJECT_FORMAT) && !line.equals(StreamedAdvertiser.OBJECT_FORMAT)) {
      throw new PackProtocolException(
          "mismatched object format: server sha1; client "
              + line.substring(OBJECT_FORMAT.length()));
    }
    if (line.startsWith(DEEPEN)) {
      checkNumber(line);
      depth = line.substring(DEEPEN.length());
      hasDepth = true;
      return new byte[0];
    }
    if (line.equals(NO_TREES)) {
      withoutTrees = true;
      return new byte[0];
    }
    if (line.equals(RELATIVE)) {
      relative = true;
      return new byte[0];
    }
    if (line.startsWith(DEEPEN_SINCE)) {
      checkNumber(line);
      since = line.substring(DEEPEN_SINCE.length());
      bounded = true;
      return new byte[0];
    }
    if (line.startsWith(DEEPEN_NOT)) {
      String end = line.substring(DEEPEN_NOT.length());
      if (ObjectId.isId(end)) {
        ends.add(ObjectId.fromString(end));
        named(ObjectId.fromString(end));
      }
      bounded = true;
    } else if (line.startsWith(SHALLOW)) {
      ObjectId id = id(line, false);
      shallow.add(id);
      named(id);
    } else if (line.startsWith(HAVE)) {
      named(id(line, false));
    } else if (line.startsWith(WANT)) {
      return want(packet, line);
    } else if ((relative || hasDepth || bounded || withoutTrees) && line.startsWith(WANT_REF)) {
      Ref ref = repository.exactRef(line.substring(WANT_REF.length()));
      if (ref != null && ref.getObjectId() != null) {
        wants.add(ref.getObjectId());
      }
    }
    return packet;
  }

  /** Tests whether the client limits the history by a depth, a time or refs. */
  boolean limitsHistory() {
    return bounded || hasDepth;
  }

  /** Tests whether the client asks for tags by a capability, as in protocol 0. */
  boolean takesTags() {
    return takesTags;
  }

  /**
   * Line by which the client wants an object, or ends the history before it; null if there is none.
   */
  @Nullable
  String lineOf(ObjectId id) {
    if (wants.contains(id)) {
      return WANT + id.name();
    }
    return ends.contains(id) ? DEEPEN_NOT + id.name() : null;
  }

  /**
   * Tests whether the request ends with the wants, as that of a client of protocol 0 over HTTP does
   * which only asks where its history is going to end. JGit knows that for a depth.
   */
  boolean asksForEndOfHistory() {
    return bounded && afterWants;
  }

  /** Takes a want; in protocol 0 the first one has the capabilities. */
  private byte[] want(byte[] packet, String line) throws PackProtocolException {
    boolean says = line.contains(" " + RELATIVE);
    relative |= says;
    takesTags |= hasCapabilities && line.contains(" include-tag");
    ObjectId id = id(line, hasCapabilities);
    hasCapabilities = false;
    wants.add(id);
    named(id);
    return says ? packet(line.replace(" " + RELATIVE, "")) : packet;
  }

  /** Reads the id after the first word of a line, where JGit expects one and, mostly, no more. */
  private static ObjectId id(String line, boolean hasMore) throws PackProtocolException {
    String[] words = line.split(" ", hasMore ? 3 : 2);
    if (!ObjectId.isId(words[1])) {
      throw new PackProtocolException("expected an object id after " + words[0]);
    }
    return ObjectId.fromString(words[1]);
  }

  private void named(ObjectId id) throws PackProtocolException {
    named.add(id, id.hashCode());
  }

  /** Checks the number after the first word of a line, of which JGit expects an {@code int}. */
  private static void checkNumber(String line) throws PackProtocolException {
    String[] words = line.split(" ", 2);
    try {
      Integer.parseInt(words[1]);
    } catch (NumberFormatException e) {
      throw new PackProtocolException(
          "expected a number of up to " + Integer.MAX_VALUE + " after " + words[0], e);
    }
  }

  private static byte[] packet(String line) {
    byte[] text = (line + "\n").getBytes(UTF_8);
    return (String.format("%04x", text.length + LENGTH) + line + "\n").getBytes(UTF_8);
  }

  /** Puts the depth, the time and the filter before the packet that ends the wants. */
  private byte[] end(byte[] flush) throws IOException {
    ByteArrayOutputStream end = new ByteArrayOutputStream();
    if (depth != null && !(protocol2 && wantsNoCommit())) {
      end.writeBytes(packet(DEEPEN + (relative ? fromWants(depth) : depth)));
    }
    depth = null;
    if (since != null) {
      end.writeBytes(packet(DEEPEN_SINCE + sinceOldestWant(Integer.parseInt(since))));
      since = null;
    }
    if (withoutTrees) {
      end.writeBytes(packet(wantsTreeOrBlob() ? ROOT_TREES : NO_TREES));
      withoutTrees = false;
    }
    end.writeBytes(flush);
    return end.toByteArray();
  }

  /**
   * Time of the oldest wanted commit, if that is before the time asked for: JGit sends no commit
   * before it, not even a wanted one. Git refuses a fetch whose wanted commits are all older.
   */
  private int sinceOldestWant(int asked) throws IOException {
    int oldest = asked;
    boolean newer = false;
    try (RevWalk walk = new RevWalk(repository)) {
      walk.setRetainBody(false);
      for (RevCommit commit : commits(walk)) {
        oldest = Math.min(oldest, Math.max(1, commit.getCommitTime())); // JGit takes no other time
        newer |= commit.getCommitTime() >= asked;
      }
    }
    return newer ? oldest : asked;
  }

  private boolean wantsNoCommit() throws IOException {
    try (RevWalk walk = new RevWalk(repository)) {
      walk.setRetainBody(false);
      for (ObjectId want : wants) {
        if (commit(walk, want).isPresent()) {
          return false;
        }
      }
      return true;
    }
  }

  private boolean wantsTreeOrBlob() throws IOException {
    try (ObjectReader reader = repository.newObjectReader()) {
      for (ObjectId want : wants) {
        int type = reader.has(want) ? reader.open(want).getType() : Constants.OBJ_BAD;
        if (type == Constants.OBJ_TREE || type == Constants.OBJ_BLOB) {
          return true;
        }
      }
      return false;
    }
  }

  /** Depth from the wants, where a want has depth 1; JGit refuses one that is not positive. */
  private String fromWants(String asked) throws IOException {
    long more = Integer.parseInt(asked);
    if (more <= 0) {
      return asked;
    }
    try (RevWalk walk = new RevWalk(repository)) {
      walk.setRetainBody(false);
      long end = farthestEnd(walk);
      long all = Math.max(end == 0 ? 0 : end + more, endless(walk) + 1);
      return String.valueOf(Math.min(Integer.MAX_VALUE, all));
    }
  }

  /** Depth of the farthest commit at which the client's history ends; 0 if the wants reach none. */
  private long farthestEnd(RevWalk walk) throws IOException {
    Set<ObjectId> left = new HashSet<>();
    for (ObjectId id : shallow) {
      if (walk.getObjectReader().has(id)) {
        left.add(id);
      }
    }
    long found = 0;
    RevFlag met = walk.newFlag("met above an end");
    List<RevCommit> level = added(commits(walk), met);
    for (long at = 1; !level.isEmpty() && !left.isEmpty(); at++) {
      for (RevCommit commit : level) {
        found = left.remove(commit) ? at : found;
      }
      level = added(parents(walk, level), met);
    }
    return found;
  }

  /** Depth of the farthest commit that the wants reach without an end of the client's history. */
  private long endless(RevWalk walk) throws IOException {
    RevFlag met = walk.newFlag("met without an end");
    List<RevCommit> level = endless(commits(walk), met);
    long depth = 0;
    while (!level.isEmpty()) {
      depth++;
      level = endless(parents(walk, level), met);
    }
    return depth;
  }

  private List<RevCommit> endless(List<RevCommit> commits, RevFlag met) {
    return added(commits, met).stream().filter(commit -> !shallow.contains(commit)).toList();
  }

  /** Selects the commits that were not met before, and marks them. */
  private static List<RevCommit> added(List<RevCommit> commits, RevFlag met) {
    List<RevCommit> added = new ArrayList<>();
    for (RevCommit commit : commits) {
      if (!commit.has(met)) {
        commit.add(met);
        added.add(commit);
      }
    }
    return added;
  }

  private static List<RevCommit> parents(RevWalk walk, List<RevCommit> level) throws IOException {
    List<RevCommit> parents = new ArrayList<>();
    for (RevCommit commit : level) {
      walk.parseHeaders(commit);
      parents.addAll(Arrays.asList(commit.getParents()));
    }
    return parents;
  }

  /** The wants that are commits, or tags of some. */
  private List<RevCommit> commits(RevWalk walk) throws IOException {
    List<RevCommit> commits = new ArrayList<>();
    for (ObjectId want : wants) {
      commit(walk, want).ifPresent(commits::add);
    }
    return commits;
  }

  private static Optional<RevCommit> commit(RevWalk walk, ObjectId want) throws IOException {
    try {
      return walk.peel(walk.parseAny(want)) instanceof RevCommit commit
          ? Optional.of(commit)
          : Optional.empty();
    } catch (MissingObjectException e) {
      return Optional.empty(); // leads nowhere, and is refused when the request is served
    }
  }
}
