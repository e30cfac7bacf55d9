// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress.load;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.util.Optional;
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

  private static final int WINDOW = 1 << 10;

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

  /**
   * Asks for the refs, and reads the status. The window of the connection is small, so that the
   * server notices how the answer is read.
   *
   * @param times times that it asks, at once; the connection ends after the last answer
   * @return the connection; empty if the server is busy
   * @throws IOException if the server refuses it otherwise
   */
  Optional<Socket> ask(int times) throws IOException {
    Socket socket = new Socket();
    try {
      socket.setReceiveBufferSize(WINDOW);
      socket.setSoTimeout((int) GitAttempts.LIMIT.toMillis());
      socket.connect(new InetSocketAddress(repository.getHost(), repository.getPort()));
      OutputStream out = socket.getOutputStream();
      for (int left = times; left > 0; left--) {
        out.write(head(left == 1));
        out.write(body);
      }
      String status = new String(socket.getInputStream().readNBytes(12), US_ASCII);
      if (status.endsWith(" 200")) {
        return Optional.of(socket);
      }
      if (status.endsWith(" 503")) {
        socket.close();
        return Optional.empty();
      }
      throw new IOException("ls-refs: " + status);
    } catch (IOException e) {
      socket.close();
      throw e;
    }
  }

  private byte[] head(boolean last) {
    return """
        POST %s/git-upload-pack HTTP/1.1\r
        Host: %s\r
        Content-Type: %s\r
        Git-Protocol: version=2\r
        Content-Length: %d\r
        %s\r
        """
        .formatted(
            repository.getPath(),
            repository.getAuthority(),
            TYPE,
            body.length,
            last ? "Connection: close\r\n" : "")
        .getBytes(US_ASCII);
  }
}
