// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.git;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.stream.Stream;

/**
 * A bare repository that looks like one of a product: commits that each change some text files and
 * some binary ones, branches, tags. Made by {@code git fast-import} from a seed and collected by
 * {@code git repack}, with deltas and bitmaps, so that all objects, and the pack but for its
 * compression, are the same everywhere.
 */
public final class SyntheticRepository {
  private static final long SEED = 20261121;
  private static final int DIRECTORIES = 64;
  private static final int FILES = 16;
  private static final int BINARIES_PER_COMMIT = 6;
  private static final int TEXTS_PER_COMMIT = 4;
  private static final int LARGEST_BINARY = 48 << 10;
  private static final int LINES = 400;
  private static final int COMMITS_PER_TAG = 16;
  private static final int COMMITS_PER_BRANCH = 64;

  /** Part of the pack that is binary files; the rest is what the others come to. */
  private static final double BINARY_SHARE = 0.97;

  private final GitClient git;
  private final Random random = new Random(SEED);
  private final String[] words = new String[4096];
  private int marks;

  private SyntheticRepository(GitClient git) {
    this.git = git;
    for (int i = 0; i < words.length; i++) {
      words[i] = word(3 + random.nextInt(8));
    }
  }

  private String word(int length) {
    StringBuilder word = new StringBuilder();
    for (int i = 0; i < length; i++) {
      word.append((char) ('a' + random.nextInt(26)));
    }
    return word.toString();
  }

  /**
   * Makes a repository, unless it is there.
   *
   * @param git makes it
   * @param directory where; made whole or not at all
   * @param packBytes least bytes of its pack
   * @throws IOException if git fails, or the directory cannot be written
   * @throws InterruptedException if the thread was interrupted
   */
  public static void generate(GitClient git, Path directory, long packBytes)
      throws IOException, InterruptedException {
    git.makeBare(directory, unfinished -> new SyntheticRepository(git).fill(unfinished, packBytes));
  }

  private void fill(Path repository, long packBytes) throws IOException, InterruptedException {
    git.run(repository, stdin -> write(stdin, packBytes), "fast-import", "--quiet", "--done");
    collect(repository);
    if (packSize(repository) < packBytes) {
      throw new IOException(repository + " has a pack of less than " + packBytes + " bytes");
    }
  }

  /** Bytes of the packs of a repository. */
  static long packSize(Path repository) throws IOException {
    try (Stream<Path> files = Files.list(repository.resolve("objects/pack"))) {
      long sum = 0;
      for (Path pack : files.filter(f -> f.toString().endsWith(".pack")).toList()) {
        sum += Files.size(pack);
      }
      return sum;
    }
  }

  private void collect(Path repository) throws IOException, InterruptedException {
    Path attributes = Files.createDirectories(repository.resolve("info")).resolve("attributes");
    Files.writeString(attributes, "*.bin -delta\n");
    git.run(repository, "-c", "pack.threads=1", "repack", "-q", "-a", "-d", "-f", "-b");
    git.run(repository, "pack-refs", "--all");
  }

  private void write(OutputStream out, long packBytes) throws IOException {
    long binaries = 0;
    int commit = 0;
    for (; binaries < packBytes * BINARY_SHARE || commit < COMMITS_PER_TAG; commit++) {
      StringBuilder changes = new StringBuilder();
      for (int i = 0; i < BINARIES_PER_COMMIT; i++) {
        byte[] content = new byte[1 + random.nextInt(LARGEST_BINARY)];
        random.nextBytes(content);
        binaries += content.length;
        changes.append(changed(blob(out, content), ".bin"));
      }
      for (int i = 0; i < TEXTS_PER_COMMIT; i++) {
        changes.append(changed(blob(out, text(commit / COMMITS_PER_BRANCH)), ".txt"));
      }
      commit(out, commit, changes.toString());
      if (commit % COMMITS_PER_TAG == 0) {
        line(out, "reset refs/tags/v" + commit + "\nfrom refs/heads/main\n");
      }
      if (commit % COMMITS_PER_BRANCH == 0) {
        line(out, "reset refs/heads/release-" + commit + "\nfrom refs/heads/main\n");
      }
    }
    line(out, "done");
  }

  /** Text whose versions of one time are alike, so that deltas pay. */
  private byte[] text(int time) {
    Random alike = new Random(SEED + time);
    StringBuilder text = new StringBuilder();
    int different = random.nextInt(LINES);
    for (int i = 0; i < LINES; i++) {
      Random from = i >= different && i < different + LINES / 8 ? random : alike;
      for (int j = 0; j < 10; j++) {
        text.append(words[from.nextInt(words.length)]).append(j == 9 ? '\n' : ' ');
      }
    }
    return text.toString().getBytes(StandardCharsets.US_ASCII);
  }

  private int blob(OutputStream out, byte[] content) throws IOException {
    marks++;
    line(out, "blob\nmark :" + marks + "\ndata " + content.length);
    out.write(content);
    line(out, "");
    return marks;
  }

  private String changed(int mark, String suffix) {
    return "M 100644 :%d dir-%d/file-%d%s\n"
        .formatted(mark, random.nextInt(DIRECTORIES), random.nextInt(FILES), suffix);
  }

  private static void commit(OutputStream out, int number, String changes) throws IOException {
    String message = "Change number " + number + "\n";
    line(
        out,
        "commit refs/heads/main\ncommitter A U Thor <author@example.com> "
            + (1_600_000_000 + 60L * number)
            + " +0000\ndata "
            + message.length()
            + "\n"
            + message
            + changes);
  }

  private static void line(OutputStream out, String text) throws IOException {
    out.write((text + "\n").getBytes(StandardCharsets.US_ASCII));
  }
}
