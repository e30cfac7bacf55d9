// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.refs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jgits3.bench.process.ScratchDirectory;

/**
 * Directories of the data of one repository. All data is generated once and used by later runs,
 * except that below the scratch directory.
 *
 * @param base directory of all generated data
 * @param bucket name of the bucket, and of the directory, for data that is kept
 * @param set the refs
 */
record DataSet(Path base, String bucket, RefSet set) {
  /** Changes when data that was generated before cannot be used any more. */
  private static final String VERSION = "3";

  /** Writes data. */
  @FunctionalInterface
  interface Generator {
    void generate() throws IOException;
  }

  /** Data of generated refs. */
  static DataSet of(Path base, int refs) {
    return new DataSet(base, "refs-" + refs, new GerritRefs(refs));
  }

  /** Data of the refs in a file, which {@link GivenRefs} has written. */
  static DataSet of(Path base, Path given) throws IOException {
    return new DataSet(base, GivenRefs.nameOf(given), GivenRefs.read(given));
  }

  /** Number of refs. */
  int refs() {
    return set.size();
  }

  /** Directory whose directories are buckets. */
  Path buckets() {
    return base.resolve("s3");
  }

  /** Directory for what does not outlive the run. */
  Path scratch() {
    return base.resolve("scratch");
  }

  /** Directory of the data of an engine. */
  Path directory(String engine) {
    return base.resolve(bucket).resolve(engine);
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
    Path marker = base.resolve(bucket).resolve(name + ".complete-" + VERSION);
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
}
