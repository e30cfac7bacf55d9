// SPDX-License-Identifier: Apache-2.0
package org.jgits3.transfer;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import org.eclipse.jgit.errors.NotSupportedException;
import org.eclipse.jgit.errors.TransportException;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.transport.BasePackFetchConnection;
import org.eclipse.jgit.transport.FetchConnection;
import org.eclipse.jgit.transport.PackTransport;
import org.eclipse.jgit.transport.PacketLineOut;
import org.eclipse.jgit.transport.PushConnection;
import org.eclipse.jgit.transport.TcpTransport;
import org.eclipse.jgit.transport.URIish;

/**
 * Fetches from a {@code git://} URL. JGit's own transport interrupts the thread when the other side
 * is silent, which has no effect on a socket; this one sets the timeouts of the socket. Used by one
 * thread.
 */
final class GitDaemonTransport extends TcpTransport implements PackTransport {
  private static final int PORT = 9418;

  private final int patienceMillis;

  /**
   * Creates a transport.
   *
   * @param local repository that receives the objects
   * @param uri URL of the repository
   * @param patience seconds for which the other side may be silent
   */
  GitDaemonTransport(Repository local, URIish uri, int patience) {
    super(local, uri);
    this.patienceMillis = patience * 1000;
  }

  @Override
  public FetchConnection openFetch() throws TransportException {
    Socket socket = new Socket();
    try {
      int port = uri.getPort() > 0 ? uri.getPort() : PORT;
      socket.setSoTimeout(patienceMillis);
      socket.connect(new InetSocketAddress(uri.getHost(), port), patienceMillis);
      return new Connection(this, socket);
    } catch (IOException | RuntimeException e) {
      close(socket, e);
      throw e instanceof TransportException failure
          ? failure
          : new TransportException(uri, e.getMessage(), e);
    }
  }

  private static void close(Socket socket, Exception why) {
    try {
      socket.close();
    } catch (IOException e) {
      why.addSuppressed(e);
    }
  }

  @Override
  public PushConnection openPush() throws NotSupportedException {
    throw new NotSupportedException("imports do not push");
  }

  @Override
  public void close() {}

  private static final class Connection extends BasePackFetchConnection {
    private final Socket socket;

    Connection(GitDaemonTransport transport, Socket socket) throws IOException {
      super(transport);
      this.socket = socket;
      InputStream in = new BufferedInputStream(socket.getInputStream());
      OutputStream out = new BufferedOutputStream(socket.getOutputStream());
      init(in, out);
      String host = uri.getPort() > 0 ? uri.getHost() + ":" + uri.getPort() : uri.getHost();
      PacketLineOut request = new PacketLineOut(out);
      request.writeString("git-upload-pack " + uri.getPath() + "\0host=" + host + "\0");
      request.flush();
      readAdvertisedRefs();
    }

    @Override
    public void close() {
      super.close();
      try {
        socket.close();
      } catch (IOException e) {
        return; // nothing is sent or received any more
      }
    }
  }
}
