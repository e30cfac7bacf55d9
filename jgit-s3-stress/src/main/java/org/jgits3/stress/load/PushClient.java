// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress.load;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.function.IntSupplier;
import org.jgits3.bench.git.GitClient;

/** Pushes one commit after the other to a branch of its own. */
final class PushClient implements Client {
  private static final int CHUNK = 1 << 16;

  private final GitAttempts attempts;
  private final Operation operation;
  private final Ledger ledger;
  private final Path clone;
  private final String url;
  private final Ledger.Branch branch;
  private final SplittableRandom random;
  private final IntSupplier sizes;
  private boolean begun;

  /**
   * Creates a client.
   *
   * @param attempts the git
   * @param operation what its pushes count as
   * @param ledger where pushes are noted
   * @param clone its repository, made by the first push
   * @param url where it pushes to
   * @param branch its branch there
   * @param random chooses contents
   * @param sizes chooses bytes of each push
   */
  PushClient(
      GitAttempts attempts,
      Operation operation,
      Ledger ledger,
      Path clone,
      String url,
      Ledger.Branch branch,
      SplittableRandom random,
      IntSupplier sizes) {
    this.attempts = attempts;
    this.operation = operation;
    this.ledger = ledger;
    this.clone = clone;
    this.url = url;
    this.branch = branch;
    this.random = random;
    this.sizes = sizes;
  }

  @Override
  public void step() throws IOException, InterruptedException {
    String commit = commit();
    ledger.begins(branch, commit);
    attempts.run(
        operation,
        clone,
        "-c",
        "core.compression=0", // the content cannot be compressed
        "push",
        "-q",
        url,
        commit + ":refs/heads/" + branch.name());
    ledger.acknowledged(branch, commit);
  }

  /** Makes a commit on top of the one before. */
  private String commit() throws IOException, InterruptedException {
    GitClient git = attempts.git();
    if (!begun) {
      Files.createDirectories(clone.getParent());
      git.run(clone.getParent(), "init", "-q", "--bare", clone.toString());
    }
    String parent = begun ? "from refs/heads/main^0\n" : "";
    int size = sizes.getAsInt();
    git.run(
        clone,
        stdin -> {
          write(stdin, "commit refs/heads/main\ncommitter A <a@example.com> 1 +0000\ndata 1\nc\n");
          write(stdin, parent + "M 100644 inline file\ndata " + size + "\n");
          content(stdin, size);
          write(stdin, "\n");
        },
        "-c",
        "core.compression=0",
        "fast-import",
        "--quiet");
    begun = true;
    return git.run(clone, "rev-parse", "refs/heads/main");
  }

  private void content(OutputStream out, int size) throws IOException {
    byte[] chunk = new byte[CHUNK];
    for (int left = size; left > 0; left -= CHUNK) {
      random.nextBytes(chunk);
      out.write(chunk, 0, Math.min(left, CHUNK));
    }
  }

  private static void write(OutputStream out, String text) throws IOException {
    out.write(text.getBytes(US_ASCII));
  }
}
