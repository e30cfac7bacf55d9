// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.served;

/** Operations of a client, in their order. */
enum ServedCase {
  /** One commit is pushed to the small repository. */
  PUSH_SMALL("push of one commit, 10 refs", true),
  /** One commit is pushed where the refs of changes are not advertised. */
  PUSH_HIDDEN("push of one commit, refs/changes hidden", true),
  /** One commit is pushed where all refs are advertised. */
  PUSH_ALL("push of one commit, all refs advertised", true),
  /** All refs are listed. */
  LS_REMOTE("ls-remote of all refs", false);

  private final String title;
  private final boolean push;

  ServedCase(String title, boolean push) {
    this.title = title;
    this.push = push;
  }

  boolean isPush() {
    return push;
  }

  /** Tests whether a client is sent only some refs, which takes milliseconds. */
  boolean isBrief() {
    return this == PUSH_SMALL || this == PUSH_HIDDEN;
  }

  /** Name of its processor time in the server. */
  String server() {
    return title + ": processor time of the server";
  }

  /** Name of its processor time in the client, which no server can better. */
  String client() {
    return title + ": processor time of the client";
  }

  /** Name of its processor time in the server and the client. */
  String both() {
    return title + ": processor time of server and client";
  }

  /** Name of its time for the user. */
  String elapsed() {
    return title + ": elapsed";
  }
}
