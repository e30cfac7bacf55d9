// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http.limit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.internal.HttpConnection;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Scheduler;

/**
 * Bounds the connections of a server, and the time for the headers of a request. A client cannot
 * keep others out by connections on which it sends nothing, or headers that do not end: when there
 * are too many, the one that has waited longest for the headers of a request is closed for each new
 * one. Headers that take too long end their connection. Connections that only wait for the next
 * request are left alone until the idle timeout. Safe for use by many threads.
 */
public final class WaitingConnections extends Handler.Wrapper implements Connection.Listener {
  private final int most;
  private final long deadline;

  /** Connections that wait for headers, in the order in which they began; guarded by this. */
  private final Map<Connection, Wait> waiting = new LinkedHashMap<>();

  /** Number of all connections; guarded by this. */
  private int open;

  private Optional<Scheduler.Task> next = Optional.empty();

  /**
   * Limits connections.
   *
   * @param most maximum number of connections
   * @param deadline time for the headers of a request
   * @param requests handler of the requests
   */
  public WaitingConnections(int most, Duration deadline, Handler requests) {
    super(requests);
    this.most = most;
    this.deadline = deadline.toNanos();
  }

  /** Wait for the headers of one request. Guarded by the lock of the connections. */
  private static final class Wait {
    private final long bytesBefore;
    private long since = System.nanoTime();
    private boolean begun;

    /**
     * Begins a wait.
     *
     * @param bytesBefore bytes received before the headers
     * @param begun true if the time runs already, false if it does from the first byte
     */
    Wait(long bytesBefore, boolean begun) {
      this.bytesBefore = bytesBefore;
      this.begun = begun;
    }

    boolean isLate(Connection connection, long deadline) {
      if (!begun && connection.getBytesIn() > bytesBefore) {
        begun = true;
        since = System.nanoTime();
      }
      return begun && System.nanoTime() - since >= deadline;
    }
  }

  @Override
  public void onOpened(Connection connection) {
    add(connection).ifPresent(WaitingConnections::drop);
  }

  private synchronized Optional<Connection> add(Connection connection) {
    open++;
    waiting.put(connection, new Wait(0, true));
    if (open <= most) {
      return Optional.empty();
    }
    Iterator<Connection> first = waiting.keySet().iterator();
    Connection longest = first.next();
    first.remove();
    return Optional.of(longest);
  }

  @Override
  public synchronized void onClosed(Connection connection) {
    open--;
    waiting.remove(connection);
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) throws Exception {
    Connection connection = request.getConnectionMetaData().getConnection();
    synchronized (this) {
      waiting.remove(connection);
    }
    Request.addCompletionListener(request, failure -> waitAgain(connection));
    return super.handle(request, response, callback);
  }

  private synchronized void waitAgain(Connection connection) {
    if (connection.getEndPoint().isOpen()) {
      waiting.put(connection, new Wait(connection.getBytesIn(), hasMore(connection)));
    }
  }

  /** Tests whether bytes of the next request came with those of the last one. */
  private static boolean hasMore(Connection connection) {
    return connection instanceof HttpConnection http && !http.isRequestBufferEmpty();
  }

  @Override
  protected void doStart() throws Exception {
    super.doStart();
    dropLate();
  }

  private void dropLate() {
    late().forEach(WaitingConnections::drop);
    Scheduler scheduler = getServer().getScheduler();
    next = Optional.of(scheduler.schedule(this::dropLate, 1, TimeUnit.SECONDS));
  }

  private synchronized List<Connection> late() {
    List<Connection> late = new ArrayList<>();
    waiting.forEach(
        (connection, wait) -> {
          if (wait.isLate(connection, deadline)) {
            late.add(connection);
          }
        });
    waiting.keySet().removeAll(late);
    return late;
  }

  private static void drop(Connection connection) {
    connection.getEndPoint().close();
  }

  @Override
  protected void doStop() throws Exception {
    next.ifPresent(Scheduler.Task::cancel);
    super.doStop();
  }
}
