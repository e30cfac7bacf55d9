// SPDX-License-Identifier: Apache-2.0
package org.jgits3.transfer;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.StringJoiner;
import java.util.TreeMap;
import org.eclipse.jgit.annotations.Nullable;
import org.eclipse.jgit.errors.MissingObjectException;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.RefDatabase;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.revwalk.RevWalk;
import org.jgits3.internal.refs.S3RefDatabase;
import org.jgits3.internal.refs.table.PackedRefsFile;
import org.jgits3.internal.refs.table.PackedRefsTable;
import org.jgits3.internal.refs.table.RefDelta;
import org.jgits3.internal.store.file.LiveTreeVisitor;
import org.jgits3.manifest.RefValue;

/**
 * Refs of a directory that stores them in files. A loose ref takes precedence over its older value
 * in {@code packed-refs}. Refuses a loose ref whose name or content cannot be read, which JGit
 * skips in favour of the older value. Used by one thread, once.
 */
final class RefFiles extends LiveTreeVisitor {
  /** Bytes of the longest loose ref that is read, as in JGit. */
  private static final int LONGEST = 4096;

  private static final String LINK = "ref:";

  private final Repository repository;
  private final Path directory;
  private final Map<String, ObjectId> direct = new HashMap<>();
  private final SortedMap<String, String> symbolic = new TreeMap<>();

  RefFiles(Repository repository) {
    this.repository = repository;
    this.directory = repository.getCommonDirectory().toPath();
  }

  /**
   * Reads all refs.
   *
   * @return the refs; empty if {@code packed-refs} is not as Git writes it
   * @throws IOException if a file cannot be read, or holds no ref; the message names it
   */
  Optional<SourceRefs> read() throws IOException {
    Path loose = directory.resolve(Constants.R_REFS);
    if (Files.isDirectory(loose)) {
      Files.walkFileTree(loose, this);
    }
    read(repository.getDirectory().toPath().resolve(Constants.HEAD), Constants.HEAD);
    Optional<ObjectId> head = Optional.ofNullable(direct.remove(Constants.HEAD));
    // read last, since a loose ref that vanished before may have been packed
    Optional<PackedRefsTable> all =
        PackedRefsFile.read(directory.resolve(Constants.PACKED_REFS), newer());
    if (all.isEmpty() || !isUnderRefs(all.get())) {
      return Optional.empty();
    }
    SortedMap<String, String> links = new TreeMap<>();
    for (Map.Entry<String, String> link : symbolic.entrySet()) {
      String name = link.getKey();
      if (name.equals(Constants.HEAD) || !isDangling(name, all.get(), head)) {
        links.put(name, link.getValue());
      }
    }
    return Optional.of(new SourceRefs(all.get(), head, links).checked());
  }

  /** Tests whether all names, which are sorted, are under {@code refs/}. */
  private static boolean isUnderRefs(PackedRefsTable all) {
    return all.size() == 0
        || (all.name(0).startsWith(Constants.R_REFS)
            && all.name(all.size() - 1).startsWith(Constants.R_REFS));
  }

  @Override
  public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
    String last = file.getFileName().toString();
    boolean none = last.startsWith(".") || last.endsWith(".lock"); // as Git sees it
    if (!none) {
      read(file, name(file));
    }
    return FileVisitResult.CONTINUE;
  }

  private String name(Path file) {
    StringJoiner name = new StringJoiner("/"); // a name may have a backslash, which is refused
    directory.relativize(file).forEach(each -> name.add(each.toString()));
    return name.toString();
  }

  private void read(Path file, String name) throws IOException {
    String content;
    try (InputStream in = Files.newInputStream(file)) {
      content = new String(in.readNBytes(LONGEST), UTF_8);
    } catch (NoSuchFileException e) {
      return; // deleted, or packed
    } catch (IOException e) {
      throw unreadable(file, e);
    }
    String id = content.split("\\s", 2)[0];
    if (name.indexOf('\ufffd') >= 0) {
      throw unreadable(file, null);
    } else if (content.startsWith(LINK) && content.length() < LONGEST) {
      symbolic.put(name, content.substring(LINK.length()).strip());
    } else if (ObjectId.isId(id)) {
      direct.put(name, ObjectId.fromString(id));
    } else {
      throw unreadable(file, null);
    }
  }

  private static IOException unreadable(Path file, @Nullable Throwable cause) {
    return new IOException(
        file
            + ": no ref can be read from it; repair it or delete it, see git fsck, or change its"
            + " name if that is not UTF-8",
        cause);
  }

  /**
   * The loose refs as changes to the packed ones. A symbolic ref removes the packed one of its
   * name. Values are peeled, because {@link SourceRefs#peeled} would otherwise build another table.
   */
  private RefDelta newer() throws IOException {
    Map<String, RefValue> newer = new HashMap<>();
    symbolic.keySet().forEach(name -> newer.put(name, RefValue.DELETED));
    try (RevWalk walk = new RevWalk(repository)) {
      for (Map.Entry<String, ObjectId> ref : direct.entrySet()) {
        SourceRefs.check(ref.getKey()); // before it becomes a line of a table
        newer.put(ref.getKey(), new RefValue.Direct(ref.getValue(), peel(walk, ref.getValue())));
      }
    }
    return RefDelta.foldable(newer);
  }

  private static Optional<ObjectId> peel(RevWalk walk, ObjectId id) throws IOException {
    try {
      return S3RefDatabase.peel(walk, id);
    } catch (MissingObjectException e) {
      return Optional.empty(); // the copy refuses it, and names the ref
    }
  }

  /** Tests whether a symbolic ref leads to no ref; refuses one that leads in a circle. */
  private boolean isDangling(String name, PackedRefsTable all, Optional<ObjectId> head)
      throws IOException {
    String leaf = name;
    for (int depth = 0; symbolic.containsKey(leaf); depth++) {
      if (depth == RefDatabase.MAX_SYMBOLIC_REF_DEPTH) {
        throw unreadable(directory.resolve(name), null);
      }
      leaf = symbolic.get(leaf);
    }
    return all.find(leaf) < 0 && !(leaf.equals(Constants.HEAD) && head.isPresent());
  }
}
