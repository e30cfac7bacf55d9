// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress.torture;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.jgits3.bench.process.Leftovers;
import org.jgits3.bench.proxy.HttpMessage;
import org.jgits3.internal.concurrent.DaemonThreads;

/**
 * A proxy on 127.0.0.1 in front of an S3 server, whose requests meet {@link Fault}s. Which request
 * of which connection meets which one follows from the seed and the {@link Weather} of the moment.
 *
 * <p>A conditional write may arrive late, or twice. A copy arrives within seconds: that 256 other
 * writers commit in between is excluded, as the protocol assumes (A14d of the models).
 *
 * <p>Safe for use by many threads.
 */
final class FaultProxy implements Closeable {
  private static final int BACKLOG = 200;
  private static final int MOST_MILLIS_LATE = 2000;
  private static final int MOST_MILLIS_DELAYED = 4000;
  private static final int MILLIS_OF_SILENCE = 60_000;
  private static final int SLOW_BYTES = 4096;
  private static final int SLOW_MILLIS = 20;

  private final URI server;
  private final ServerSocket listener;
  private final SplittableRandom seeds;
  private final ExecutorService threads =
      Executors.newCachedThreadPool(DaemonThreads.named("fault-proxy"));
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private final Map<Fault, LongAdder> injected = new EnumMap<>(Fault.class);
  private final AtomicLong refusals = new AtomicLong();
  private volatile Weather weather = Weather.CALM;

  private FaultProxy(URI server, long seed) throws IOException {
    this.server = server;
    this.seeds = new SplittableRandom(seed);
    for (Fault fault : Fault.values()) {
      injected.put(fault, new LongAdder());
    }
    InetAddress loopback = InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
    this.listener = new ServerSocket();
    listener.bind(new InetSocketAddress(loopback, 0), BACKLOG);
    Leftovers.add(this);
  }

  /** Starts one, without faults at first. */
  static FaultProxy start(URI server, long seed) throws IOException {
    FaultProxy proxy = new FaultProxy(server, seed);
    proxy.threads.execute(proxy::accept);
    return proxy;
  }

  /** Address for clients. */
  URI uri() {
    return URI.create("http://127.0.0.1:" + listener.getLocalPort());
  }

  /** Changes the faults of requests that come from now on. */
  void set(Weather next) {
    weather = next;
    if (next.refuses()) {
      open.forEach(FaultProxy::reset);
    }
  }

  /** Faults injected until now, by kind. */
  long count(Fault fault) {
    return injected.get(fault).sum();
  }

  /** Connections refused until now. */
  long refusals() {
    return refusals.get();
  }

  /** Faults injected until now. */
  long faults() {
    return injected.values().stream().mapToLong(LongAdder::sum).sum() + refusals();
  }

  private void accept() {
    try {
      while (true) {
        connected(listener.accept());
      }
    } catch (IOException closed) {
      return;
    }
  }

  private void connected(Socket client) {
    SplittableRandom random = seeds.split();
    if (weather.refuses()) {
      refusals.incrementAndGet();
      reset(client);
    } else {
      threads.execute(() -> serve(client, random));
    }
  }

  /** Breaks a connection without the usual end of one. */
  private static void reset(Socket socket) {
    try {
      socket.setSoLinger(true, 0);
      socket.close();
    } catch (IOException gone) {
      return;
    }
  }

  private void serve(Socket client, SplittableRandom random) {
    open.add(client);
    try (client) {
      client.setTcpNoDelay(true);
      InputStream in = new BufferedInputStream(client.getInputStream());
      Optional<HttpMessage> request = HttpMessage.readRequest(in);
      while (request.isPresent()) {
        answer(client, request.get(), random);
        request = client.isClosed() ? Optional.empty() : HttpMessage.readRequest(in);
      }
    } catch (IOException connectionEnded) {
      return; // the business of its ends
    } finally {
      open.remove(client);
    }
  }

  private void answer(Socket client, HttpMessage request, SplittableRandom random)
      throws IOException {
    OutputStream out = client.getOutputStream();
    Optional<Fault> fault = weather.fault(random, request);
    if (fault.isEmpty()) {
      exchange(request).writeTo(out);
      return;
    }
    injected.get(fault.get()).increment();
    switch (fault.get()) {
      case UNAVAILABLE -> error(503, "SlowDown").writeTo(out);
      case FAILED -> error(500, "InternalError").writeTo(out);
      case CONFLICT -> error(409, "ConditionalRequestConflict").writeTo(out);
      case RESET -> reset(client);
      case CUT_REQUEST -> {
        cut(request, random);
        reset(client);
      }
      case LOST_REPLY -> {
        exchange(request);
        client.close();
      }
      case FAILED_AFTER -> {
        exchange(request);
        error(500, "InternalError").writeTo(out);
      }
      case FAILED_IN_SUCCESS -> {
        exchange(request);
        error(200, "InternalError").writeTo(out);
      }
      case GATEWAY -> gateway(request, random).writeTo(out);
      case LATE -> {
        reset(client);
        pause(random, MOST_MILLIS_LATE);
        exchange(request);
      }
      case REPEATED -> {
        exchange(request).writeTo(out);
        SplittableRandom later = random.split();
        threads.execute(() -> repeat(request, later));
      }
      case DOUBLED -> {
        exchange(request);
        exchange(request).writeTo(out);
      }
      case CUT_ANSWER -> {
        HttpMessage answer = exchange(request);
        out.write(answer.head().getBytes(ISO_8859_1));
        out.write(answer.body(), 0, answer.body().length / 2);
        client.close();
      }
      case SHORTENED -> shortened(exchange(request)).writeTo(out);
      case FLIPPED_BIT -> flipped(exchange(request), random).writeTo(out);
      case DELAYED -> {
        pause(random, MOST_MILLIS_DELAYED);
        exchange(request).writeTo(out);
      }
      case DELAYED_ANSWER -> {
        HttpMessage answer = exchange(request);
        pause(random, MOST_MILLIS_DELAYED);
        answer.writeTo(out);
      }
      case SLOW_ANSWER -> slowly(exchange(request), out);
      case LIE, LIE_ABOUT_NAME -> lie(random).writeTo(out);
    }
  }

  private static void pause(SplittableRandom random, int mostMillis) {
    try {
      TimeUnit.MILLISECONDS.sleep(random.nextInt(mostMillis));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void repeat(HttpMessage request, SplittableRandom random) {
    pause(random, MOST_MILLIS_LATE);
    try {
      exchange(request);
    } catch (IOException e) {
      return; // its answer is awaited by no client
    }
  }

  private Socket connect() throws IOException {
    Socket upstream = new Socket(server.getHost(), server.getPort());
    upstream.setTcpNoDelay(true);
    upstream.setSoTimeout(MILLIS_OF_SILENCE);
    return upstream;
  }

  /** Forwards a request, and returns its answer. */
  private HttpMessage exchange(HttpMessage request) throws IOException {
    Socket upstream = connect();
    try {
      request.writeTo(upstream.getOutputStream());
      return HttpMessage.readAnswer(new BufferedInputStream(upstream.getInputStream()), request);
    } finally {
      reset(upstream); // the answer is here, and no port waits for the end of the connection
    }
  }

  private void cut(HttpMessage request, SplittableRandom random) throws IOException {
    Socket upstream = connect();
    try {
      OutputStream out = upstream.getOutputStream();
      out.write(request.head().getBytes(ISO_8859_1));
      out.write(request.body(), 0, random.nextInt(request.body().length));
      out.flush();
    } finally {
      reset(upstream);
    }
  }

  private static HttpMessage shortened(HttpMessage answer) {
    if (answer.status() >= 300) {
      return answer;
    }
    byte[] half = Arrays.copyOf(answer.body(), answer.body().length / 2);
    String head = answer.head().replaceFirst("(?i)(content-length: *)\\d+", "$1" + half.length);
    return new HttpMessage(head, half);
  }

  private static HttpMessage flipped(HttpMessage answer, SplittableRandom random) {
    if (answer.body().length == 0 || answer.status() >= 300) {
      return answer;
    }
    byte[] body = answer.body().clone();
    body[random.nextInt(body.length)] ^= (byte) (1 << random.nextInt(8));
    return new HttpMessage(answer.head(), body);
  }

  private static void slowly(HttpMessage answer, OutputStream out) throws IOException {
    out.write(answer.head().getBytes(ISO_8859_1));
    for (int at = 0; at < answer.body().length; at += SLOW_BYTES) {
      out.write(answer.body(), at, Math.min(SLOW_BYTES, answer.body().length - at));
      out.flush();
      try {
        TimeUnit.MILLISECONDS.sleep(SLOW_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
    out.flush();
  }

  private static HttpMessage error(int status, String code) {
    byte[] body =
        ("<?xml version=\"1.0\" encoding=\"UTF-8\"?><Error><Code>%s</Code>"
                + "<Message>injected</Message></Error>")
            .formatted(code)
            .getBytes(ISO_8859_1);
    return new HttpMessage(
        "HTTP/1.1 %d %s\r\nContent-Type: application/xml\r\nContent-Length: %d\r\n\r\n"
            .formatted(status, code, body.length),
        body);
  }

  private static HttpMessage gateway(HttpMessage request, SplittableRandom random) {
    boolean page = random.nextBoolean() && !request.method().equals("HEAD");
    byte[] body = (page ? "<html><body>Sign in</body></html>" : "").getBytes(ISO_8859_1);
    return new HttpMessage(
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n"
            .formatted(body.length),
        body);
  }

  private static HttpMessage lie(SplittableRandom random) {
    String tag = Long.toHexString(random.nextLong());
    return new HttpMessage(
        "HTTP/1.1 200 OK\r\nETag: \"%s\"\r\nContent-Length: 0\r\n\r\n".formatted(tag), new byte[0]);
  }

  @Override
  public void close() throws IOException {
    listener.close();
    open.forEach(FaultProxy::reset);
    threads.shutdownNow();
    Leftovers.remove(this);
  }
}
