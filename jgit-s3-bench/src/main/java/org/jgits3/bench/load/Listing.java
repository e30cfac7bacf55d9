// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.load;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import org.eclipse.jgit.transport.PacketLineOut;

/**
 * Request for refs of a repository, by protocol version 2.
 *
 * @param repository URL of the repository
 * @param body what is sent
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record Listing(URI repository, byte[] body) {
  static final String TYPE = "application/x-git-upload-pack-request";

  /** A request for the refs with a prefix. */
  static Listing of(String url, String prefix) throws IOException {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    PacketLineOut lines = new PacketLineOut(body);
    lines.writeString("command=ls-refs\n");
    lines.writeDelim();
    lines.writeString("peel\n");
    lines.writeString("symrefs\n");
    lines.writeString("ref-prefix " + prefix + "\n");
    lines.end();
    return new Listing(URI.create(url), body.toByteArray());
  }
}
