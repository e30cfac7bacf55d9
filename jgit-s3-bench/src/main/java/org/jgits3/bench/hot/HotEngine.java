// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.hot;

/** Servers that the clients push through. */
enum HotEngine {
  /** One server on a distant store. */
  ONE_SERVER("1-server", 1),
  /** Three servers on a distant store, which the clients are spread over. */
  THREE_SERVERS("3-servers", 3),
  /** C Git's {@code http-backend} on a local disk. */
  C_GIT("c-git", 1);

  private final String id;
  private final int servers;

  HotEngine(String id, int servers) {
    this.id = id;
    this.servers = servers;
  }

  /** Name in the results. */
  String id() {
    return id;
  }

  /** Number of servers. */
  int servers() {
    return servers;
  }
}
