// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.refs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jgits3.bench.process.ScratchDirectory;

/**
 * Directories of the data of one size. All data is generated once and used by later runs, except
 * that below the scratch directory.
 *
 * @param base directory of all generated data
 * @param refs number of refs
 */
record DataSet(Path base, int refs) {
  /** Changes when data that was generated before cannot be used any more. */
  private static final String VERSION = "3";

  /** Writes data. */
  @FunctionalInterface
  interface Generator {
    void generate() throws IOException;
  }

  /** Directory whose directories are buckets. */
  Path buckets() {
    return base.resolve("s3");
  }

  /** Name of the bucket for data that is kept. */
  String bucket() {
    return "refs-" + refs;
  }

  /** Directory for what does not outlive the run. */
  Path scratch() {
    return base.resolve("scratch");
  }

  /** Directory of the data of an engine. */
  Path directory(String engine) {
    return base.resolve(bucket()).resolve(engine);
  }

  /**
   * Generates data, unless it is there.
   *
   * @param name what it is
   * @param directory where it is; removed first if it is not complete
   * @param generator writes it
   * @return whether it had to be generated
   */
  boolean prepare(String name, Path directory, Generator generator) throws IOException {
    Path marker = base.resolve(bucket()).resolve(name + ".complete-" + VERSION);
    if (Files.exists(marker) && Files.isDirectory(directory)) {
      return false;
    }
    ScratchDirectory.delete(directory);
    Files.createDirectories(directory);
    generator.generate();
    Files.createDirectories(marker.getParent());
    Files.writeString(marker, "");
    return true;
  }

  /**
   * Generates data that does not outlive the run, unless this run has done so.
   *
   * @param name what it is
   * @param generator writes it
   * @return whether it had to be generated
   */
  boolean prepareForThisRun(String name, Generator generator) throws IOException {
    Path marker = scratch().resolve(name + ".complete");
    if (Files.exists(marker)) {
      return false;
    }
    generator.generate();
    Files.writeString(marker, "");
    return true;
  }
}
