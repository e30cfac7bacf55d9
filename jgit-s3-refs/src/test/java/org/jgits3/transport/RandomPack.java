// SPDX-License-Identifier: Apache-2.0
package org.jgits3.transport;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.zip.Deflater;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.FileMode;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.TreeFormatter;
import org.jgits3.testing.ForgedPack;

/**
 * A pack with one sound commit and a few objects beside it, some of which no client of Git writes.
 */
final class RandomPack {
  private static final String WHO = "A U Thor <author@example.com> 1700000000 +0000";

  /** Pieces that mean something in a commit or tag. */
  private static final List<String> PIECES =
      List.of(
          "\0", "\n", "\n\n", " ", "<", ">", "0", "9", "+", "-", "x", "\t", "author ", "99999999");

  /** Pieces of names by which a file system may find {@code .git}. */
  private static final List<String> NAMES =
      List.of(
          ".git",
          ".GiT",
          "git~1",
          "GIT~2",
          ".",
          "/",
          "\\",
          ":",
          "::$INDEX_ALLOCATION",
          " ",
          "x",
          "\u00e2\u0080\u008c",
          "\u00e9",
          ".gitmodules",
          "gitmod~1");

  /** What an object is like. */
  enum Kind {
    BLOB,
    DELTA,
    DELTA_TO_OBJECT_OF_REPOSITORY,
    DELTA_TO_LATER_OBJECT,
    RESULT_LARGER_THAN_INSTRUCTIONS,
    RESULT_SMALLER_THAN_INSTRUCTIONS,
    OTHER_BASE_SIZE,
    COPY_BEYOND_BASE,
    RESERVED_INSTRUCTION,
    DELTA_CUT_SHORT,
    DELTA_TOO_SHORT,
    OVERLONG_DELTA_SIZE,
    OVERLONG_OBJECT_SIZE,
    OVERLONG_OFFSET,
    OFFSET_TO_NO_OBJECT,
    DELTA_TO_MISSING_OBJECT,
    CYCLE,
    CYCLE_WITH_OBJECT_OF_REPOSITORY,
    DELTA_THAT_CHANGES_NOTHING,
    RESERVED_TYPE,
    OTHER_SIZE,
    BROKEN_STREAM,
    STREAM_WITH_DICTIONARY,
    BYTES_AFTER_STREAM,
    DUPLICATE,
    BAD_TREE,
    OTHER_COUNT,
    OTHER_BYTE,
    OTHER_TYPE_IN_TREE,
    OTHER_TYPE_IN_COMMIT,
    CHANGED_COMMIT,
    CHANGED_TAG,
    CHANGED_TIP,
    NAME_IN_TREE
  }

  /** What Git accepts. */
  private static final List<Kind> SOUND =
      List.of(
          Kind.BLOB, Kind.DELTA, Kind.DELTA_TO_OBJECT_OF_REPOSITORY, Kind.DELTA_TO_LATER_OBJECT);

  /** Length of the first line of a commit, and of a tag. */
  private static final int TREE_LINE = "tree ".length() + Constants.OBJECT_ID_STRING_LENGTH + 1;

  private static final int OBJECT_LINE = TREE_LINE + 2;

  private final SplittableRandom random;
  private final byte[] known;
  private final ObjectId knownId;
  private final List<Kind> kinds = new ArrayList<>();
  private final byte[] blob;
  private final byte[] tree;
  private final ObjectId commit;
  private final byte[] bytes;

  private int blobAt;
  private boolean leadsToTree = true;

  /**
   * Makes a pack.
   *
   * @param seed what it follows from
   * @param known a blob that the repository has
   */
  RandomPack(long seed, byte[] known) {
    this.random = new SplittableRandom(seed);
    this.known = known;
    this.knownId = ForgedPack.id(Constants.OBJ_BLOB, known);
    this.blob = bytes(20 + random.nextInt(400));
    boolean sound = random.nextInt(4) == 0;
    for (int i = random.nextInt(3); i >= 0; i--) {
      kinds.add(any(sound ? SOUND : Arrays.asList(Kind.values())));
    }
    tree = tree().toByteArray();
    byte[] tip = tip(ForgedPack.id(Constants.OBJ_TREE, tree));
    commit = ForgedPack.id(Constants.OBJ_COMMIT, tip);
    ForgedPack body = new ForgedPack(0);
    body.object(Constants.OBJ_COMMIT, tip).object(Constants.OBJ_TREE, tree);
    blobAt = body.position();
    body.object(Constants.OBJ_BLOB, blob);
    int objects = 3;
    for (Kind kind : kinds) {
      objects += append(kind, body);
    }
    bytes = closed(body, objects);
  }

  private byte[] closed(ForgedPack body, int objects) {
    byte[] content = body.open();
    byte[] rest = Arrays.copyOfRange(content, 12, content.length);
    if (kinds.contains(Kind.OTHER_BYTE)) {
      rest[random.nextInt(rest.length)] ^= (byte) (1 << random.nextInt(Byte.SIZE));
    }
    int count = objects;
    if (kinds.contains(Kind.OTHER_COUNT)) {
      count += random.nextInt(2) * 2 - 1;
    }
    return new ForgedPack(count).raw(rest).closed();
  }

  byte[] bytes() {
    return bytes;
  }

  ObjectId commit() {
    return commit;
  }

  /**
   * Tests whether nothing leads to the tree of this pack, which may name an object of another type.
   * Git checks what each tree of a pack names; here that is checked once something leads to it.
   */
  boolean hasUnreachableTree() {
    return !leadsToTree && kinds.contains(Kind.OTHER_TYPE_IN_TREE);
  }

  /** A commit that leads to the tree. */
  byte[] commitOfTree() {
    return commit(ForgedPack.id(Constants.OBJ_TREE, tree), "author " + WHO);
  }

  /** A pack of that commit, and what it leads to as far as it is in this pack. */
  byte[] packOfTree() {
    return new ForgedPack(3)
        .object(Constants.OBJ_COMMIT, commitOfTree())
        .object(Constants.OBJ_TREE, tree)
        .object(Constants.OBJ_BLOB, blob)
        .closed();
  }

  List<Kind> kinds() {
    return kinds;
  }

  private byte[] tip(ObjectId tree) {
    byte[] tip = commit(tree, "author " + WHO);
    if (kinds.contains(Kind.OTHER_TYPE_IN_COMMIT)) {
      ObjectId other = any(List.of(knownId, emptyTree(), ForgedPack.id(Constants.OBJ_BLOB, blob)));
      leadsToTree = random.nextBoolean();
      tip =
          leadsToTree
              ? commit(tree, "parent " + other.name(), "author " + WHO)
              : commit(other, "author " + WHO);
    }
    return kinds.contains(Kind.CHANGED_TIP) ? changed(tip, TREE_LINE) : tip;
  }

  private <T> T any(List<T> of) {
    return of.get(random.nextInt(of.size()));
  }

  /** Changes a few bytes behind a position. */
  private byte[] changed(byte[] content, int from) {
    StringBuilder text = new StringBuilder(new String(content, ISO_8859_1));
    for (int i = random.nextInt(3); i >= 0; i--) {
      int at = from + random.nextInt(text.length() + 1 - from);
      int end = Math.min(text.length(), at + random.nextInt(4));
      text.replace(at, random.nextBoolean() ? at : end, any(PIECES));
    }
    return text.toString().getBytes(ISO_8859_1);
  }

  private byte[] bytes(int length) {
    byte[] content = new byte[length];
    random.nextBytes(content);
    return content;
  }

  private TreeFormatter tree() {
    TreeFormatter tree = new TreeFormatter();
    tree.append("a", FileMode.REGULAR_FILE, ForgedPack.id(Constants.OBJ_BLOB, blob));
    if (kinds.contains(Kind.OTHER_TYPE_IN_TREE)) {
      FileMode mode =
          any(
              List.of(
                  FileMode.TREE,
                  FileMode.REGULAR_FILE,
                  FileMode.EXECUTABLE_FILE,
                  FileMode.SYMLINK));
      tree.append("b", mode, any(List.of(knownId, emptyTree())));
    }
    return tree;
  }

  private static ObjectId emptyTree() {
    return ForgedPack.id(Constants.OBJ_TREE, new byte[0]);
  }

  private static byte[] commit(ObjectId tree, String... lines) {
    return ("tree "
            + tree.name()
            + "\n"
            + String.join("\n", lines)
            + "\ncommitter "
            + WHO
            + "\n\nmessage\n")
        .getBytes(UTF_8);
  }

  /** Appends what there is of a kind; returns the number of objects. */
  private int append(Kind kind, ForgedPack to) {
    byte[] end = bytes(1 + random.nextInt(100));
    int length = blob.length;
    int result = length - random.nextInt(length) + end.length;
    byte[] how = ForgedPack.copyAnd(result, end);
    byte[] sound = ForgedPack.delta(length, result, how);
    switch (kind) {
      case BLOB -> to.object(Constants.OBJ_BLOB, end);
      case DELTA -> delta(to, sound);
      case DELTA_TO_OBJECT_OF_REPOSITORY ->
          to.delta(knownId, ForgedPack.delta(known.length, end.length, ForgedPack.insert(end)));
      case DELTA_TO_LATER_OBJECT -> {
        byte[] later = bytes(50);
        byte[] delta = ForgedPack.delta(later.length, end.length, ForgedPack.insert(end));
        to.delta(ForgedPack.id(Constants.OBJ_BLOB, later), delta);
        to.object(Constants.OBJ_BLOB, later);
        return 2;
      }
      case RESULT_LARGER_THAN_INSTRUCTIONS ->
          delta(to, ForgedPack.delta(length, result + 1 + random.nextInt(1_000), how));
      case RESULT_SMALLER_THAN_INSTRUCTIONS ->
          delta(to, ForgedPack.delta(length, result - 1 - random.nextInt(result), how));
      case OTHER_BASE_SIZE -> delta(to, ForgedPack.delta(length + otherBy(), result, how));
      case COPY_BEYOND_BASE -> {
        byte[] copy = ForgedPack.copy(random.nextInt(2 * length), length);
        delta(to, ForgedPack.delta(length, length, copy));
      }
      case RESERVED_INSTRUCTION -> {
        byte[] with = Arrays.copyOf(how, how.length + 1);
        delta(to, ForgedPack.delta(length, result, with));
      }
      case DELTA_CUT_SHORT ->
          delta(to, Arrays.copyOf(sound, sound.length - 1 - random.nextInt(sound.length)));
      case DELTA_TOO_SHORT -> delta(to, ForgedPack.delta(length, 0, new byte[0]));
      case OVERLONG_DELTA_SIZE -> delta(to, overlong(length, result, how));
      case OVERLONG_OBJECT_SIZE -> {
        to.raw((byte) (Constants.OBJ_BLOB << 4 | 0x80 | (end.length & 15)));
        to.raw(padded(ForgedPack.varint(end.length >>> 4), 1 + random.nextInt(12)));
        to.deflated(end);
      }
      case OVERLONG_OFFSET -> {
        to.header(Constants.OBJ_OFS_DELTA, sound.length);
        to.raw(wrapped(to.position() - blobAt - 2)).deflated(sound);
      }
      case OFFSET_TO_NO_OBJECT -> to.delta(to.position() - elsewhere(to.position()), sound);
      case DELTA_TO_MISSING_OBJECT -> to.delta(ForgedPack.id(Constants.OBJ_BLOB, end), sound);
      case CYCLE, CYCLE_WITH_OBJECT_OF_REPOSITORY -> {
        byte[] one = kind == Kind.CYCLE ? bytes(known.length) : known;
        byte[] other = bytes(100);
        byte[] toOne = ForgedPack.delta(other.length, one.length, inserts(one));
        byte[] toOther = ForgedPack.delta(one.length, other.length, ForgedPack.insert(other));
        to.delta(ForgedPack.id(Constants.OBJ_BLOB, other), toOne);
        to.delta(ForgedPack.id(Constants.OBJ_BLOB, one), toOther);
        return 2;
      }
      case DELTA_THAT_CHANGES_NOTHING -> {
        if (random.nextBoolean()) {
          byte[] copy = ForgedPack.copy(0, known.length);
          to.delta(knownId, ForgedPack.delta(known.length, known.length, copy));
        } else {
          delta(to, ForgedPack.delta(length, length, ForgedPack.copy(0, length)));
        }
      }
      case RESERVED_TYPE -> to.header(random.nextInt(2) * 5, end.length).deflated(end);
      case OTHER_SIZE -> to.header(Constants.OBJ_BLOB, end.length + otherBy()).deflated(end);
      case BROKEN_STREAM -> to.header(Constants.OBJ_BLOB, end.length).raw(broken(end));
      case STREAM_WITH_DICTIONARY -> to.header(Constants.OBJ_BLOB, end.length).raw(primed(end));
      case BYTES_AFTER_STREAM -> to.object(Constants.OBJ_BLOB, end).raw(bytes(1));
      case DUPLICATE -> {
        if (random.nextBoolean()) {
          to.object(Constants.OBJ_BLOB, blob);
        } else {
          delta(to, sound);
          delta(to, sound);
          return 2;
        }
      }
      case BAD_TREE -> to.object(Constants.OBJ_TREE, badTree());
      case CHANGED_COMMIT ->
          to.object(Constants.OBJ_COMMIT, changed(commit(emptyTree(), "author " + WHO), TREE_LINE));
      case CHANGED_TAG -> to.object(Constants.OBJ_TAG, changed(tag().getBytes(UTF_8), OBJECT_LINE));
      case NAME_IN_TREE -> {
        StringBuilder name = new StringBuilder();
        for (int i = random.nextInt(3); i >= 0; i--) {
          name.append(any(NAMES));
        }
        boolean link = random.nextInt(4) == 0;
        to.object(Constants.OBJ_TREE, entries(link ? "120000" : "100644", name.toString()));
      }
      case OTHER_COUNT, OTHER_BYTE, OTHER_TYPE_IN_TREE, OTHER_TYPE_IN_COMMIT, CHANGED_TIP -> {
        return 0;
      }
    }
    return 1;
  }

  /** Appends a delta to the blob, which names it in one way or the other. */
  private void delta(ForgedPack to, byte[] delta) {
    if (random.nextBoolean()) {
      to.delta(blobAt, delta);
    } else {
      to.delta(ForgedPack.id(Constants.OBJ_BLOB, blob), delta);
    }
  }

  private static byte[] inserts(byte[] content) {
    ByteArrayOutputStream how = new ByteArrayOutputStream();
    for (int at = 0; at < content.length; at += 100) {
      how.writeBytes(
          ForgedPack.insert(Arrays.copyOfRange(content, at, Math.min(content.length, at + 100))));
    }
    return how.toByteArray();
  }

  private long otherBy() {
    return switch (random.nextInt(5)) {
      case 0 -> 1;
      case 1 -> 1 + random.nextInt(1_000);
      case 2 -> 1L << 31;
      case 3 -> 1L << 32;
      default -> 1L << (33 + random.nextInt(24));
    };
  }

  private byte[] overlong(long from, long to, byte[] how) {
    boolean first = random.nextBoolean();
    ByteArrayOutputStream delta = new ByteArrayOutputStream();
    delta.writeBytes(first ? padded(ForgedPack.varint(from), 12) : ForgedPack.varint(from));
    delta.writeBytes(first ? ForgedPack.varint(to) : padded(ForgedPack.varint(to), 12));
    delta.writeBytes(how);
    return delta.toByteArray();
  }

  /** A number with more digits than it needs, some of them beyond 64 bits. */
  private byte[] padded(byte[] digits, int most) {
    byte[] longer = Arrays.copyOf(digits, digits.length + random.nextInt(most));
    for (int i = digits.length - 1; i < longer.length - 1; i++) {
      longer[i] |= (byte) 0x80;
    }
    if (longer.length > 9) {
      longer[longer.length - 1] = (byte) random.nextInt(3);
    }
    return longer;
  }

  /** A distance that fits 64 bits only without its highest ones. */
  private byte[] wrapped(long distance) {
    byte[] digits = new byte[10 + random.nextInt(2)];
    Arrays.fill(digits, (byte) 0xff);
    byte[] last = ForgedPack.offset(distance);
    System.arraycopy(last, 0, digits, digits.length - last.length, last.length);
    return digits;
  }

  /** A distance at which no object begins. */
  private long elsewhere(int position) {
    return switch (random.nextInt(4)) {
      case 0 -> 0;
      case 1 -> position - blobAt - 1 - random.nextInt(20);
      case 2 -> position - random.nextInt(12);
      default -> position + 1L + random.nextInt(1_000);
    };
  }

  private byte[] broken(byte[] content) {
    byte[] stream = new ForgedPack(0).deflated(content).open();
    stream = Arrays.copyOfRange(stream, 12, stream.length);
    int at = random.nextInt(4) == 0 ? 0 : stream.length - 1 - random.nextInt(4);
    stream[at] ^= (byte) (1 << random.nextInt(Byte.SIZE));
    return stream;
  }

  private byte[] primed(byte[] content) {
    Deflater deflater = new Deflater();
    try {
      deflater.setDictionary(content);
      deflater.setInput(content);
      deflater.finish();
      byte[] stream = new byte[1_000];
      return Arrays.copyOf(stream, deflater.deflate(stream));
    } finally {
      deflater.end();
    }
  }

  private byte[] badTree() {
    return switch (random.nextInt(11)) {
      case 0 -> entries("100644", "b", "100644", "a");
      case 1 -> entries("100644", "a", "100644", "a");
      case 2 -> entries("100644", "a", "40000", "a");
      case 3 -> entries("0100644", "a");
      case 4 -> entries("100644", ".git");
      case 5 -> entries("100644", "..");
      case 6 -> entries("100644", "a/b");
      case 7 -> entries("100644", "");
      case 8 -> entries("100644", ".GIT");
      case 9 -> entries("100644", "git~1");
      default -> {
        byte[] sound = entries("100644", "a");
        yield Arrays.copyOf(sound, sound.length - 1 - random.nextInt(sound.length - 1));
      }
    };
  }

  /** A tree of entries given by their modes and names. */
  private byte[] entries(String... modesAndNames) {
    ByteArrayOutputStream tree = new ByteArrayOutputStream();
    byte[] id = new byte[Constants.OBJECT_ID_LENGTH];
    for (int i = 0; i < modesAndNames.length; i += 2) {
      tree.writeBytes((modesAndNames[i] + " " + modesAndNames[i + 1] + "\0").getBytes(ISO_8859_1));
      boolean isTree = modesAndNames[i].equals("40000");
      (isTree ? emptyTree() : knownId).copyRawTo(id, 0);
      tree.writeBytes(id);
    }
    return tree.toByteArray();
  }

  private String tag() {
    return "object " + knownId.name() + "\ntype blob\ntag a\ntagger " + WHO + "\n\nx\n";
  }
}
