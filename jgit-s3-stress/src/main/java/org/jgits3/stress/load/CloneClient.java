// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress.load;

import java.io.IOException;
import java.nio.file.Path;
import org.jgits3.bench.process.ScratchDirectory;

/**
 * Clones a repository again and again.
 *
 * @param attempts the git
 * @param url its URL
 * @param copy where to
 */
record CloneClient(GitAttempts attempts, String url, Path copy) implements Client {
  @Override
  public void step() throws IOException, InterruptedException {
    Path home = attempts.git().home();
    attempts.run(Operation.CLONE, home, "clone", "-q", "--bare", url, copy.toString());
    ScratchDirectory.delete(copy);
  }
}
