// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.git;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

/**
 * Git's own server, {@code git http-backend}, by CGI. Jetty has no CGI servlet any more, and
 * Tomcat's gives no bodies of unknown length to the program, which is how Git sends packs.
 */
final class CgiServer {
  private static final String HOST = "127.0.0.1";

  private CgiServer() {}

  /**
   * Serves until the process is ended.
   *
   * @param args directory of the repositories
   */
  public static void main(String[] args) throws Exception {
    Server server = new Server();
    ServerConnector connector = new ServerConnector(server);
    connector.setHost(HOST);
    server.addConnector(connector);
    ServletContextHandler context = new ServletContextHandler("/");
    context.addServlet(new ServletHolder(new HttpBackend(Path.of(args[0]).toAbsolutePath())), "/*");
    server.setHandler(context);
    server.start();
    System.out.printf("listening on http://%s:%d/%n", HOST, connector.getLocalPort());
    server.join();
  }

  /** Runs the program for each request. */
  private static final class HttpBackend extends HttpServlet {
    private final Path repositories;

    HttpBackend(Path repositories) {
      this.repositories = repositories;
    }

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response)
        throws IOException {
      Process program = start(request);
      try {
        CompletableFuture<Void> sent =
            CompletableFuture.runAsync(() -> send(request, program.getOutputStream()));
        InputStream answer = new BufferedInputStream(program.getInputStream(), 1 << 16);
        headers(answer, response);
        answer.transferTo(response.getOutputStream());
        sent.join();
        program.onExit().join();
      } finally {
        program.destroyForcibly();
      }
    }

    private Process start(HttpServletRequest request) throws IOException {
      ProcessBuilder builder =
          new ProcessBuilder("git", "http-backend").redirectError(ProcessBuilder.Redirect.INHERIT);
      Map<String, String> environment = builder.environment();
      environment.keySet().removeIf(name -> name.startsWith("GIT_"));
      environment.putAll(
          Map.of(
              "GIT_PROJECT_ROOT", repositories.toString(),
              "GIT_HTTP_EXPORT_ALL", "1",
              "GIT_CONFIG_NOSYSTEM", "1",
              "GIT_CONFIG_GLOBAL", "/dev/null",
              "GIT_CONFIG_COUNT", "3",
              "GIT_CONFIG_KEY_0", "http.receivepack",
              "GIT_CONFIG_VALUE_0", "true",
              "GIT_CONFIG_KEY_1", "receive.fsckObjects",
              "GIT_CONFIG_VALUE_1", "true"));
      environment.putAll(
          Map.of("GIT_CONFIG_KEY_2", "receive.autogc", "GIT_CONFIG_VALUE_2", "false"));
      environment.put("REQUEST_METHOD", request.getMethod());
      environment.put("PATH_INFO", request.getPathInfo());
      environment.put("REMOTE_ADDR", request.getRemoteAddr());
      put(environment, "QUERY_STRING", request.getQueryString());
      put(environment, "CONTENT_TYPE", request.getContentType());
      put(environment, "CONTENT_LENGTH", request.getHeader("Content-Length"));
      put(environment, "HTTP_CONTENT_ENCODING", request.getHeader("Content-Encoding"));
      put(environment, "GIT_PROTOCOL", request.getHeader("Git-Protocol"));
      return builder.start();
    }

    private static void put(Map<String, String> environment, String name, String value) {
      environment.put(name, Optional.ofNullable(value).orElse(""));
    }

    /** A program that has heard enough ends, and says itself why. */
    private static void send(HttpServletRequest request, OutputStream stdin) {
      try (stdin) {
        request.getInputStream().transferTo(stdin);
      } catch (IOException e) {
        System.err.println("request was not taken whole: " + e.getMessage());
      }
    }

    private static void headers(InputStream answer, HttpServletResponse response)
        throws IOException {
      for (String line = line(answer); !line.isEmpty(); line = line(answer)) {
        String[] header = line.split(": *", 2);
        if (header[0].equals("Status")) {
          response.setStatus(Integer.parseInt(header[1].substring(0, 3)));
        } else {
          response.setHeader(header[0], header[1]);
        }
      }
    }

    private static String line(InputStream in) throws IOException {
      StringBuilder line = new StringBuilder();
      for (int c = in.read(); c != '\n'; c = in.read()) {
        if (c < 0) {
          throw new IOException("git http-backend ended before it had answered");
        }
        if (c != '\r') {
          line.append((char) c);
        }
      }
      return line.toString();
    }
  }
}
