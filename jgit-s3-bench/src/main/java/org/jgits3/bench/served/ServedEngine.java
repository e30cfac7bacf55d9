// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.served;

/** Servers of the same refs. */
enum ServedEngine {
  /** This server on a store in a directory. */
  DIRECTORY("directory"),
  /** C Git's {@code http-backend} on a local disk. */
  C_GIT("c-git");

  private final String id;

  ServedEngine(String id) {
    this.id = id;
  }

  /** Name in the results. */
  String id() {
    return id;
  }

  /**
   * Processor time of the server so far: of this one that of its JVM, of C Git that of its
   * programs, without that of the JVM which starts them.
   */
  long nanos(ProcessorTime server) {
    return this == DIRECTORY ? server.own() : server.ofEnded();
  }
}
