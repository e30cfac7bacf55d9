// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http.access;

import java.net.URI;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.RequestLog;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.NanoTime;
import org.eclipse.jgit.annotations.Nullable;
import org.eclipse.jgit.transport.ReceiveCommand;
import org.jgits3.server.http.users.BasicAuthentication;
import org.jgits3.server.terminal.Logging;
import org.jgits3.server.terminal.Version;
import org.slf4j.event.KeyValuePair;
import org.slf4j.event.Level;

/**
 * Logs accesses to {@link Logging#ACCESS}, each when its request has ended, in lines that can be
 * read alone:
 *
 * <ul>
 *   <li>at level INFO {@code push}, and {@code ref} for each command of it that changed a ref,
 *       however many, and for some of the others: the same {@code id} is in all of them, and the
 *       first has the number of commands, and of those left out; {@code login refused}; {@code
 *       start} and {@code stop} of a server;
 *   <li>at level DEBUG {@code request}, for each request that is no push.
 * </ul>
 *
 * <p>Texts that a client chose are cut, but for the names of refs, which the limit of the commands
 * bounds. Safe for use by many threads.
 */
public final class AccessLog implements RequestLog {
  /** Characters of a text that a client chose, at most. */
  private static final int MOST_CHARACTERS = 256;

  /** Lines for commands of a push that changed nothing, of which a few bytes may hold thousands. */
  private static final int MOST_UNCHANGED = 100;

  /** Beginning of the ids of pushes, which no other process has. */
  private final String process =
      HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong()) + "-";

  private final AtomicLong pushes = new AtomicLong();

  /** Values of one line. */
  private static final class Line {
    private final List<KeyValuePair> values = new ArrayList<>();

    /** Adds a value, unless it is null. */
    Line with(String key, @Nullable Object value) {
      if (value != null) {
        values.add(new KeyValuePair(key, value));
      }
      return this;
    }

    void log(Level level, Instant when, String message) {
      Logging.access(level, when, message, values);
    }
  }

  /**
   * Logs that a server has begun to listen.
   *
   * @param address address for clients
   * @param store location of the repositories
   */
  public void started(URI address, String store) {
    new Line()
        .with("address", address)
        .with("store", store)
        .with("version", Version.program())
        .log(Level.INFO, Instant.now(), "start");
  }

  /**
   * Logs that a server has ended.
   *
   * @param address as in {@link #started}
   */
  public void stopped(URI address) {
    new Line().with("address", address).log(Level.INFO, Instant.now(), "stop");
  }

  @Override
  public void log(Request request, Response response) {
    Instant now = Instant.now();
    Optional<String> refused = BasicAuthentication.refused(request);
    refused.ifPresent(
        name ->
            new Line()
                .with("name", cut(name))
                .with("client", client(request))
                .log(Level.INFO, now, "login refused"));
    Optional<Transfer> transfer = Transfer.of(request);
    if (transfer.isPresent() && !transfer.get().commands().isEmpty()) {
      logPush(transfer.get(), request, response, now);
    } else {
      logRequest(transfer, request, response, now);
    }
  }

  private void logPush(Transfer push, Request request, Response response, Instant now) {
    String id = process + pushes.incrementAndGet();
    List<ReceiveCommand> listed = listed(push.commands());
    int leftOut = push.commands().size() - listed.size();
    result(
            who(id, push, request)
                .with("refs", push.commands().size())
                .with("left_out", leftOut == 0 ? null : leftOut),
            push.outcome(),
            request,
            response)
        .log(Level.INFO, now, "push");
    for (ReceiveCommand command : listed) {
      who(id, push, request)
          .with("ref", command.getRefName())
          .with("old", command.getOldId().name())
          .with("new", command.getNewId().name())
          .with("outcome", command.getResult().name().toLowerCase(Locale.ROOT))
          .with("reason", command.getMessage())
          .log(Level.INFO, now, "ref");
    }
  }

  /** Leaves out commands that changed nothing, but for the first ones. */
  private static List<ReceiveCommand> listed(List<ReceiveCommand> commands) {
    List<ReceiveCommand> listed = new ArrayList<>();
    int unchanged = 0;
    for (ReceiveCommand command : commands) {
      boolean changed =
          command.getResult() == ReceiveCommand.Result.OK
              && !command.getOldId().equals(command.getNewId());
      if (changed || ++unchanged <= MOST_UNCHANGED) {
        listed.add(command);
      }
    }
    return listed;
  }

  private static Line who(String id, Transfer push, Request request) {
    return new Line()
        .with("id", id)
        .with("user", user(request))
        .with("client", client(request))
        .with("repository", push.repository());
  }

  private static void logRequest(
      Optional<Transfer> transfer, Request request, Response response, Instant now) {
    Line line =
        new Line()
            .with("user", user(request))
            .with("client", client(request))
            .with("method", cut(request.getMethod()))
            .with("path", cut(request.getHttpURI().getPath()))
            .with("repository", transfer.map(Transfer::repository).orElse(null))
            .with("service", transfer.map(Transfer::service).orElse(null));
    result(line, transfer.map(Transfer::outcome).orElse(outcome(response)), request, response)
        .log(Level.DEBUG, now, "request");
  }

  /** Adds what became of a request. */
  private static Line result(Line line, String outcome, Request request, Response response) {
    return line.with("status", response.getStatus())
        .with("outcome", outcome)
        .with("answer", response.isCompletedSuccessfully() ? null : "cut_off")
        .with("in", Request.getContentBytesRead(request))
        .with("out", Response.getContentBytesWritten(response))
        .with("ms", NanoTime.millisSince(request.getHeadersNanoTime()))
        .with("agent", cut(request.getHeaders().get(HttpHeader.USER_AGENT)));
  }

  private static String outcome(Response response) {
    if (HttpStatus.isServerError(response.getStatus())) {
      return "failed";
    }
    return HttpStatus.isClientError(response.getStatus()) ? "refused" : "ok";
  }

  @Nullable
  private static String user(Request request) {
    Request.AuthenticationState state = Request.getAuthenticationState(request);
    return state == null || state.getUserPrincipal() == null
        ? null
        : state.getUserPrincipal().getName();
  }

  private static String client(Request request) {
    return Request.getRemoteAddr(request);
  }

  @Nullable
  private static String cut(@Nullable String text) {
    return text == null || text.length() <= MOST_CHARACTERS
        ? text
        : text.substring(0, MOST_CHARACTERS) + "...";
  }
}
