// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.refs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.zip.CRC32;
import org.eclipse.jgit.errors.InvalidObjectIdException;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectIdRef;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.lib.Repository;
import org.jgits3.bench.WrongUsageException;
import org.jgits3.bench.process.Leftovers;

/**
 * Refs of a repository that the user has named, without {@code HEAD}. Immutable.
 *
 * @param all the refs, by name
 */
public record GivenRefs(List<Ref> all) implements RefSet {
  private static final String PEELED = "^{}";

  /** Copies the list. */
  public GivenRefs {
    all = List.copyOf(all);
  }

  /**
   * Asks the repository for its refs, with the Git and the configuration of the user.
   *
   * @param repository directory or URL
   * @param file gets them, as {@code git ls-remote} prints them
   * @return the refs
   * @throws WrongUsageException if Git cannot read it, or it has no refs
   * @throws IOException if the file cannot be written, or Git cannot be started
   * @throws InterruptedException if interrupted; Git is ended when this program ends
   */
  public static GivenRefs fetch(String repository, Path file)
      throws IOException, InterruptedException {
    Path errors = file.resolveSibling(file.getFileName() + ".err");
    Process git =
        Leftovers.start(
            new ProcessBuilder("git", "ls-remote", "--", repository)
                .redirectOutput(file.toFile())
                .redirectError(errors.toFile()));
    git.getOutputStream().close();
    if (git.waitFor() != 0) {
      String why = Files.readString(errors).lines().findFirst().orElse("git ls-remote failed");
      throw new WrongUsageException("--repository " + repository + ": " + why);
    }
    GivenRefs refs = read(file);
    if (refs.size() == 0) {
      throw new WrongUsageException("--repository " + repository + " has no refs");
    }
    return refs;
  }

  /**
   * Reads a file that {@link #fetch} has written.
   *
   * @param file the file
   * @return the refs
   * @throws IOException if it cannot be read, or has another form
   */
  static GivenRefs read(Path file) throws IOException {
    Map<String, ObjectId> ids = new HashMap<>();
    for (String line : Files.readAllLines(file)) {
      int tab = line.indexOf('\t');
      try {
        ids.put(line.substring(tab + 1), ObjectId.fromString(line.substring(0, Math.max(0, tab))));
      } catch (InvalidObjectIdException e) {
        throw new IOException(file + " has a line that is no ref: " + line, e);
      }
    }
    return new GivenRefs(
        ids.keySet().stream()
            .filter(name -> name.startsWith(Constants.R_REFS) && Repository.isValidRefName(name))
            .sorted()
            .map(name -> ref(name, ids.get(name), ids.get(name + PEELED)))
            .toList());
  }

  private static Ref ref(String name, ObjectId id, ObjectId peeled) {
    return peeled == null
        ? new ObjectIdRef.PeeledNonTag(Ref.Storage.PACKED, name, id)
        : new ObjectIdRef.PeeledTag(Ref.Storage.PACKED, name, id, peeled);
  }

  /** Name of a directory for the data of the refs in a file: other refs have another one. */
  static String nameOf(Path file) throws IOException {
    CRC32 sum = new CRC32();
    sum.update(Files.readAllBytes(file));
    return "refs-given-" + Long.toHexString(sum.getValue());
  }

  @Override
  public int size() {
    return all.size();
  }

  @Override
  public List<Ref> sample() {
    SplittableRandom random = new SplittableRandom(SEED);
    return IntStream.range(0, SAMPLE).mapToObj(i -> all.get(random.nextInt(size()))).toList();
  }
}
