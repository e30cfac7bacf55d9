// SPDX-License-Identifier: Apache-2.0
package org.jgits3.transfer;

import java.io.Closeable;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** Git's own server: a {@code git daemon} for each connection to a port of this machine. */
final class GitDaemon implements Closeable {
  private final ServerSocket listener;
  private final Path directory;
  private final boolean old;

  /**
   * Serves the repositories in a directory.
   *
   * @param directory where they are
   * @param old whether the server is told of no protocol but version 0
   */
  GitDaemon(Path directory, boolean old) throws IOException {
    this.directory = directory;
    this.old = old;
    listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    daemon(this::accept);
  }

  String url(String repository) {
    return "git://127.0.0.1:" + listener.getLocalPort() + "/" + repository;
  }

  private static void daemon(Runnable task) {
    Thread thread = new Thread(task, "git-daemon");
    thread.setDaemon(true);
    thread.start();
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket client = listener.accept();
        daemon(() -> serve(client));
      } catch (IOException closed) {
        return;
      }
    }
  }

  private void serve(Socket client) {
    try (client) {
      Process git =
          new ProcessBuilder(
                  "git",
                  "daemon",
                  "--inetd",
                  "--export-all",
                  "--base-path=" + directory,
                  directory.toString())
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      daemon(() -> send(client, git));
      git.getInputStream().transferTo(client.getOutputStream());
      git.waitFor();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void send(Socket client, Process git) {
    try (OutputStream out = git.getOutputStream()) {
      InputStream in = client.getInputStream();
      out.write(request(new DataInputStream(in)));
      out.flush();
      byte[] buffer = new byte[8192];
      for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
        out.write(buffer, 0, n);
        out.flush();
      }
    } catch (IOException ended) {
      git.destroy();
    }
  }

  /** The first line; the version asked for stands after the host and two zeros. */
  private byte[] request(DataInputStream in) throws IOException {
    byte[] length = in.readNBytes(4);
    int rest = Integer.parseInt(new String(length, StandardCharsets.US_ASCII), 16) - 4;
    String line = new String(in.readNBytes(rest), StandardCharsets.ISO_8859_1);
    int extra = line.indexOf("\0\0");
    String sent = old && extra >= 0 ? line.substring(0, extra + 1) : line;
    return String.format("%04x%s", sent.length() + 4, sent).getBytes(StandardCharsets.ISO_8859_1);
  }

  @Override
  public void close() throws IOException {
    listener.close();
  }
}
