// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Base64;

/** Requests to a server that no Git client sends as a test wants them. */
public final class TestRequests {
  private static final int SECONDS_TO_CLOSE = 120;
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  private TestRequests() {}

  /** Gets what is at a URI. */
  public static HttpResponse<String> get(URI uri, String... headers)
      throws IOException, InterruptedException {
    return send(HttpRequest.newBuilder(uri), headers);
  }

  /** Sends a request to a service of Git, such as {@code r.git/git-upload-pack}. */
  public static HttpResponse<String> post(URI server, String path, byte[] body, String... headers)
      throws IOException, InterruptedException {
    String service = path.substring(path.lastIndexOf('/') + 1);
    return send(
        HttpRequest.newBuilder(server.resolve("/" + path))
            .header("Content-Type", "application/x-" + service + "-request")
            .POST(HttpRequest.BodyPublishers.ofByteArray(body)),
        headers);
  }

  private static HttpResponse<String> send(HttpRequest.Builder request, String... headers)
      throws IOException, InterruptedException {
    if (headers.length > 0) {
      request.headers(headers);
    }
    return HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString(ISO_8859_1));
  }

  /** Value of the header of a user with a password. */
  public static String basic(String pair) {
    return "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(UTF_8));
  }

  /** Sends bytes, and returns everything that is answered until the server closes. */
  public static String exchange(URI server, byte[] request) throws IOException {
    try (Socket socket = new Socket(server.getHost(), server.getPort())) {
      socket.setSoTimeout(SECONDS_TO_CLOSE * 1000);
      socket.getOutputStream().write(request);
      return new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
    }
  }
}
