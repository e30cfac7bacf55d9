// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.served;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.Ref;
import org.jgits3.bench.git.GitClient;
import org.jgits3.bench.process.ScratchDirectory;

/**
 * Makes a bare repository in which each ref has a commit of its own, on top of one that all share,
 * and each annotated tag an object. All refs are in packed-refs, all objects in one pack.
 *
 * @param git makes it
 * @param head one of the refs, which {@code HEAD} names
 * @param refs the refs, ordered by name; their objects are made up
 */
record ManyRefs(GitClient git, String head, List<Ref> refs) {
  /** Branch of {@code fast-import}, which is removed. */
  private static final String SCRATCH = "refs/heads/scratch";

  private static final String NAME = "A U Thor <author@example.com> ";

  /** Time of the first commit. Each has another: JGit sorts those of one time slowly. */
  private static final long START = 1_600_000_000;

  /**
   * Makes the repository, unless it is there.
   *
   * @param directory where; made whole or not at all
   */
  void into(Path directory) throws IOException, InterruptedException {
    git.makeBare(directory, this::fill);
  }

  private void fill(Path repository) throws IOException, InterruptedException {
    Path marks = repository.resolve("marks");
    git.run(
        repository,
        this::write,
        "fast-import",
        "--quiet",
        "--done",
        "--depth=0",
        "--export-marks=" + marks.toAbsolutePath());
    ScratchDirectory.delete(repository.resolve("refs"));
    Files.createDirectories(repository.resolve("refs/heads"));
    git.run(repository, "symbolic-ref", "HEAD", head);
    writePackedRefs(repository, idsOf(marks));
    Files.delete(marks);
  }

  private static String who(int number) {
    return NAME + (START + number) + " +0000";
  }

  /** Mark of the commit of a ref; that of its tag is the next. */
  private static int mark(int ref) {
    return 2 * ref + 2;
  }

  private void write(OutputStream out) throws IOException {
    line(out, "commit " + SCRATCH + "\nmark :1\ncommitter " + who(0) + "\ndata 4\nbase");
    for (int i = 0; i < refs.size(); i++) {
      String message = refs.get(i).getName();
      line(
          out,
          "commit %s\nmark :%d\ncommitter %s\ndata %d\n%s\nfrom :1\n"
              .formatted(SCRATCH, mark(i), who(i + 1), message.length(), message));
      if (isTag(i)) {
        line(
            out,
            "tag %s\nmark :%d\nfrom :%d\ntagger %s\ndata 3\ntag"
                .formatted(
                    message.substring(Constants.R_TAGS.length()),
                    mark(i) + 1,
                    mark(i),
                    who(i + 1)));
      }
    }
    line(out, "done");
  }

  private boolean isTag(int ref) {
    return refs.get(ref).getPeeledObjectId() != null;
  }

  private static void line(OutputStream out, String text) throws IOException {
    out.write((text + "\n").getBytes(StandardCharsets.US_ASCII));
  }

  /** Ids by mark. */
  private ObjectId[] idsOf(Path marks) throws IOException {
    ObjectId[] ids = new ObjectId[mark(refs.size())];
    try (BufferedReader lines = Files.newBufferedReader(marks)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        int space = line.indexOf(' ');
        ids[Integer.parseInt(line.substring(1, space))] =
            ObjectId.fromString(line.substring(space + 1));
      }
    }
    return ids;
  }

  private void writePackedRefs(Path repository, ObjectId... ids) throws IOException {
    try (BufferedWriter out = Files.newBufferedWriter(repository.resolve(Constants.PACKED_REFS))) {
      out.write("# pack-refs with: peeled fully-peeled sorted \n");
      for (int i = 0; i < refs.size(); i++) {
        ObjectId id = ids[isTag(i) ? mark(i) + 1 : mark(i)];
        out.write(id.name() + ' ' + refs.get(i).getName() + '\n');
        if (isTag(i)) {
          out.write('^' + ids[mark(i)].name() + '\n');
        }
      }
    }
  }
}
