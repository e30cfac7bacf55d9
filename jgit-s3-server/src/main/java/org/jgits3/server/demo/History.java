// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.demo;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;

/** History of a project as a stream for {@code git fast-import}, with the same bytes every time. */
final class History {
  static final int COMMITS = 500;

  private static final int DIRECTORIES = 20;
  private static final int FILES = 200;
  private static final int LINES = 120;
  private static final int RELEASE_EVERY = 50;
  private static final long BEGIN = 1_700_000_000;

  private final Random random = new Random(COMMITS);
  private final OutputStream out;

  private History(OutputStream out) {
    this.out = out;
  }

  /** Writes the stream to a file. */
  static void write(Path file) throws IOException {
    try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file))) {
      new History(out).write();
    }
  }

  private void write() throws IOException {
    for (int commit = 1; commit <= COMMITS; commit++) {
      commit(commit);
      if (commit % RELEASE_EVERY == 0) {
        release(commit);
      }
    }
    line("done");
  }

  private void commit(int number) throws IOException {
    line("commit refs/heads/main");
    line("mark :" + number);
    line("committer " + identity(number));
    data("Change number " + number + "\n");
    for (int change = 0; change < 3; change++) {
      int file = random.nextInt(FILES);
      line("M 100644 inline src/part-" + file % DIRECTORIES + "/größe-" + file + ".txt");
      data(text());
    }
  }

  /** An annotated tag, a light one and a branch. */
  private void release(int commit) throws IOException {
    line("tag v" + commit);
    line("from :" + commit);
    line("tagger " + identity(commit));
    data("Release " + commit + "\n");
    reset("refs/tags/build-" + commit, commit);
    reset("refs/heads/release/" + commit, commit);
  }

  private void reset(String ref, int commit) throws IOException {
    line("reset " + ref);
    line("from :" + commit);
    line("");
  }

  private static String identity(int number) {
    return "Ada Demo <ada@example.com> " + (BEGIN + 3600L * number) + " +0000";
  }

  private String text() {
    StringBuilder text = new StringBuilder();
    for (int line = 0; line < LINES; line++) {
      text.append(Long.toString(random.nextLong(), Character.MAX_RADIX)).append('\n');
    }
    return text.toString();
  }

  private void data(String content) throws IOException {
    byte[] bytes = content.getBytes(UTF_8);
    line("data " + bytes.length);
    out.write(bytes);
    line("");
  }

  private void line(String text) throws IOException {
    out.write((text + "\n").getBytes(UTF_8));
  }
}
