// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.transfer;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Something that uploads and downloads, a process for each object.
 *
 * @param name what the results call it
 * @param missing why it cannot be used; empty if it can
 * @param environment variables it needs
 * @param upload command that sends a file
 * @param download command that writes a file
 */
record Tool(
    String name,
    Optional<String> missing,
    Map<String, String> environment,
    Command upload,
    Command download) {
  /** A command line. */
  @FunctionalInterface
  interface Command {
    /**
     * The command line for one object.
     *
     * @param file what is sent, or to be written
     * @param key the object
     * @return program and arguments
     */
    List<String> of(Path file, String key);
  }

  List<String> command(Direction direction, Path file, String key) {
    return (direction == Direction.UPLOAD ? upload : download).of(file, key);
  }
}
