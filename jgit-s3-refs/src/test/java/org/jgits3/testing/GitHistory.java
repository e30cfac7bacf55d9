// SPDX-License-Identifier: Apache-2.0
package org.jgits3.testing;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A made-up history that has what real ones have: branches that are merged, deep trees, annotated
 * and light tags, names and authors from all over the world, executable files, symbolic links,
 * deletions, and large files that do not compress.
 *
 * <p>Written as a {@code git fast-import} stream; the same values give the same bytes, and so the
 * same object ids. Nothing is held in memory but a few names.
 *
 * @param seed seed of everything that looks random
 * @param commits number of commits
 * @param tags number of tags; every other one is annotated
 * @param depth directories above the deepest file
 * @param largeFiles sizes in bytes of the large files, spread over the history
 */
public record GitHistory(long seed, int commits, int tags, int depth, List<Integer> largeFiles) {
  private static final List<String> WORDS =
      List.of(
          "core",
          "größe",
          "данные",
          "資料",
          "αρχείο",
          "été",
          "with space",
          "ملف",
          "🚀",
          "x",
          "lib",
          "README",
          "don't",
          "a-b_c",
          "naïve");

  private static final List<String> AUTHORS =
      List.of(
          "Zoë Ångström <zoe@example.com>",
          "山田太郎 <yamada@example.com>",
          "Ольга Петрова <olga@example.com>",
          "A U Thor <author@example.com>",
          "José Núñez <jose@example.com>");

  private static final List<String> BRANCHES =
      List.of("release/1.0", "тема/поиск", "機能/検索", "feature/größe", "user/josé/wip");

  private static final int CHUNK = 64 * 1024;

  /**
   * A history of a size that Git servers see: 5,000 commits, 3,000 tags, trees 14 deep, files up to
   * 60 MB; or a part of that.
   *
   * @param seed seed of everything that looks random
   * @param part by what commits, tags and sizes of files are divided
   * @return the history
   */
  public static GitHistory large(long seed, int part) {
    List<Integer> files = List.of(60_000_000, 20_000_000, 9_000_000, 5_000_000, 1_000_000);
    return new GitHistory(
        seed, 5_000 / part, 3_000 / part, 14, files.stream().map(size -> size / part).toList());
  }

  /**
   * A history that has one of everything and takes a second.
   *
   * @param seed seed of everything that looks random
   * @return the history
   */
  public static GitHistory small(long seed) {
    return new GitHistory(seed, 60, 20, 12, List.of(300_000));
  }

  /**
   * Creates a bare repository that holds this history; {@code HEAD} is {@code refs/heads/main}.
   *
   * @param git client to run
   * @param directory directory of the new repository
   * @return client that works in the new repository
   */
  public GitClient importInto(GitClient git, String directory) {
    git.run("init", "-q", "--bare", directory);
    GitClient bare = git.at(directory);
    bare.run(this::writeTo, "fast-import", "--quiet");
    return bare;
  }

  /**
   * Writes the history.
   *
   * @param out receives a fast-import stream
   * @throws IOException if it cannot be written
   */
  public void writeTo(OutputStream out) throws IOException {
    new Writer(new BufferedOutputStream(out, CHUNK)).write();
  }

  /** One run over the history; marks count up from 1. */
  private final class Writer {
    private final OutputStream out;
    private final SplittableRandom random = new SplittableRandom(seed);
    private final List<String> branches = new ArrayList<>();
    private final Deque<String> deletable = new ArrayDeque<>();
    private int large;

    Writer(OutputStream out) {
      this.out = out;
    }

    void write() throws IOException {
      for (int commit = 1; commit <= commits; commit++) {
        writeCommit(commit);
      }
      for (int tag = 1; tag <= tags; tag++) {
        writeTag(tag);
      }
      line("done");
      out.flush();
    }

    /** Every tenth commit is on a side branch, every fiftieth merges one into main. */
    private void writeCommit(int commit) throws IOException {
      boolean side = commit % 10 == 9;
      boolean merge = commit % 50 == 0 && !branches.isEmpty();
      String branch = side ? BRANCHES.get(random.nextInt(BRANCHES.size())) : "main";
      line("commit refs/heads/" + branch);
      line("mark :" + commit);
      identity("author", commit);
      identity("committer", commit);
      data("Commit " + commit + ": " + word() + "\n\nWhy: " + word() + " " + word() + "\n");
      if (side && !branches.contains(branch)) {
        line("from refs/heads/main");
        branches.add(branch);
      }
      if (merge) {
        line("merge refs/heads/" + branches.get(random.nextInt(branches.size())));
      }
      writeChanges(commit, side ? "side" : "main");
      line("");
    }

    private void writeChanges(int commit, String root) throws IOException {
      String path = path(root, random.nextInt(1, depth + 1)) + "/file" + random.nextInt(40);
      String mode = commit % 7 == 0 ? "100755" : "100644";
      line("M " + mode + " inline " + path);
      data("line of " + word() + "\n" + "filler ".repeat(random.nextInt(60)) + commit + "\n");
      if (commit % 20 == 1) {
        String deepest = path(root, depth) + "/deep" + commit;
        line("M 100644 inline " + deepest);
        data("deep " + commit + "\n");
        deletable.add(deepest);
      }
      if (commit % 25 == 5) {
        line("M 120000 inline " + root + "/links/link" + commit);
        data("../" + word() + "/target");
      }
      if (commit % 60 == 31 && root.equals("main")) {
        line("D " + deletable.removeFirst());
      }
      if (large < largeFiles.size()
          && commit >= (long) commits * (large + 1) / (largeFiles.size() + 1)) {
        line("M 100644 inline " + root + "/large/blob" + large + ".bin");
        incompressible(largeFiles.get(large++));
      }
    }

    private void writeTag(int tag) throws IOException {
      int target = random.nextInt(1, commits + 1);
      String name = "v" + tag / 100 + "." + tag % 100 + (tag % 9 == 0 ? "-größe" : "");
      if (tag % 2 == 0) {
        line("reset refs/tags/light/" + name);
        line("from :" + target);
        line("");
        return;
      }
      line("tag " + name);
      line("from :" + target);
      identity("tagger", commits + tag);
      data("Release " + name + " " + word() + "\n");
    }

    private String path(String root, int levels) {
      StringBuilder path = new StringBuilder(root);
      for (int level = 0; level < levels; level++) {
        path.append('/').append(WORDS.get(random.nextInt(level < 2 ? WORDS.size() : 2)));
        path.append(level);
      }
      return path.toString();
    }

    private String word() {
      return WORDS.get(random.nextInt(WORDS.size()));
    }

    private void identity(String role, int number) throws IOException {
      String author = AUTHORS.get(random.nextInt(AUTHORS.size()));
      line(role + " " + author + " " + (1_600_000_000L + number * 60L) + " +0130");
    }

    private void line(String text) throws IOException {
      out.write(text.getBytes(StandardCharsets.UTF_8));
      out.write('\n');
    }

    private void data(String text) throws IOException {
      byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
      line("data " + bytes.length);
      out.write(bytes);
      out.write('\n');
    }

    private void incompressible(int length) throws IOException {
      line("data " + length);
      byte[] chunk = new byte[CHUNK];
      for (int written = 0; written < length; written += CHUNK) {
        random.nextBytes(chunk);
        out.write(chunk, 0, Math.min(CHUNK, length - written));
      }
      out.write('\n');
    }
  }
}
