// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jgits3.internal.function.IoRunnable;
import org.jgits3.internal.function.IoSupplier;
import org.jgits3.internal.store.metrics.RequestCounts;

/**
 * A store between which and its callers things go wrong: at random from a seed, which is printed,
 * or as a script says. What is scripted comes first.
 *
 * <p>Safe for use by many threads.
 */
public final class FaultInjectingObjectStore extends DelegatingObjectStore {
  private static final int MAX_DELAY_MICROS = 3_000;
  private static final double LATE_DELIVERY = 0.3;

  /** Faults of one request. */
  public enum Fault {
    /** Nothing goes wrong. */
    NONE,
    /** It takes up to three milliseconds longer. */
    SLOW,
    /** It never arrives: nothing is applied, and the caller does not know. */
    FAIL_BEFORE,
    /** It is applied, and the reply is lost. */
    FAIL_AFTER,
    /** A conditional write is applied only after its caller was told that nothing is known. */
    LATE,
    /** It is applied twice: a conditional write again after its caller had the answer. */
    TWICE
  }

  private final long seed;
  private final double rate;
  private final RequestCounts counts = new RequestCounts();
  private final Random random;
  private final Map<RequestKind, Queue<Fault>> script = new EnumMap<>(RequestKind.class);
  private final Queue<Write> underWay = new ArrayDeque<>();

  /** A conditional write that has not arrived yet. */
  @SuppressWarnings("ArrayRecordComponent") // handed over, never compared
  private record Write(String key, byte[] body, Precondition precondition) {}

  /**
   * A store with random faults.
   *
   * @param store store that works
   * @param seed what the faults follow from
   * @param rate share of requests to which something happens, 0 to 1; 0 for scripted faults only
   */
  public FaultInjectingObjectStore(ObjectStore store, long seed, double rate) {
    super(store);
    this.seed = seed;
    this.rate = rate;
    this.random = new Random(seed);
    System.out.println(this);
  }

  /**
   * Says what happens to the next requests of a kind, after those it was said of before.
   *
   * @param kind the kind
   * @param faults one for each request
   */
  public synchronized void script(RequestKind kind, Fault... faults) {
    script.computeIfAbsent(kind, k -> new ArrayDeque<>()).addAll(Arrays.asList(faults));
  }

  /**
   * Requests that callers made, whatever became of them.
   *
   * @return the counts
   */
  public RequestCounts counts() {
    return counts;
  }

  /**
   * Delivers every conditional write that is still under way, in order.
   *
   * @return their outcomes, which no caller learns
   * @throws IOException if the store itself fails
   */
  public List<PutOutcome> deliver() throws IOException {
    List<PutOutcome> outcomes = new ArrayList<>();
    for (Write write = next(); write != null; write = next()) {
      outcomes.add(super.putIf(write.key(), write.body(), write.precondition()));
    }
    return outcomes;
  }

  private synchronized Write next() {
    return underWay.poll();
  }

  private synchronized void hold(Write write) {
    underWay.add(write);
  }

  private Fault faultOf(RequestKind kind) throws IOException {
    counts.requestEnded(kind, RequestOutcome.OK, 0, 0);
    Write late = null;
    Fault fault = Fault.NONE;
    synchronized (this) {
      Queue<Fault> scripted = script.get(kind);
      if (scripted != null && !scripted.isEmpty()) {
        fault = scripted.remove();
      } else if (random.nextDouble() < rate) {
        fault = Fault.values()[1 + random.nextInt(Fault.values().length - 1)];
      }
      if (rate > 0 && random.nextDouble() < LATE_DELIVERY) {
        late = underWay.poll();
      }
    }
    if (late != null) {
      super.putIf(late.key(), late.body(), late.precondition());
    }
    return fault;
  }

  private <T> T send(RequestKind kind, String key, IoSupplier<T> request) throws IOException {
    return switch (faultOf(kind)) {
      case NONE -> request.get();
      case SLOW -> {
        delay();
        yield request.get();
      }
      case FAIL_BEFORE ->
          throw new StoreException.Unavailable(key, key + ": injected: never arrived", null);
      case TWICE -> {
        request.get();
        yield request.get();
      }
      case FAIL_AFTER, LATE -> {
        request.get();
        throw new StoreException.Unavailable(key, key + ": injected: reply lost", null);
      }
    };
  }

  private void sendCommand(RequestKind kind, String key, IoRunnable command) throws IOException {
    send(
        kind,
        key,
        () -> {
          command.run();
          return true;
        });
  }

  private void delay() {
    int micros;
    synchronized (this) {
      micros = random.nextInt(MAX_DELAY_MICROS);
    }
    LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(micros));
  }

  @Override
  public PutOutcome putIf(String key, byte[] body, Precondition precondition) throws IOException {
    Write write = new Write(key, body.clone(), precondition);
    return switch (faultOf(RequestKind.PUT_IF)) {
      case NONE -> super.putIf(key, body, precondition);
      case SLOW -> {
        delay();
        yield super.putIf(key, body, precondition);
      }
      case FAIL_BEFORE -> unknown(key, "never arrived");
      case FAIL_AFTER -> {
        super.putIf(key, body, precondition);
        yield unknown(key, "reply lost");
      }
      case LATE -> {
        hold(write);
        yield unknown(key, "late");
      }
      case TWICE -> {
        PutOutcome outcome = super.putIf(key, body, precondition);
        hold(write);
        yield outcome;
      }
    };
  }

  private static PutOutcome unknown(String key, String what) {
    return new PutOutcome.Unknown(key + ": injected: " + what);
  }

  @Override
  public GetResult get(String key, Optional<ObjectVersion> known) throws IOException {
    return send(RequestKind.GET, key, () -> super.get(key, known));
  }

  @Override
  public ObjectVersion read(ReadRequest range) throws IOException {
    return send(RequestKind.READ, range.key(), () -> super.read(range));
  }

  @Override
  public boolean compare(ReadRequest held) throws IOException {
    return send(RequestKind.READ, held.key(), () -> super.compare(held));
  }

  @Override
  public Optional<ObjectInfo> stat(String key) throws IOException {
    return send(RequestKind.STAT, key, () -> super.stat(key));
  }

  @Override
  public void put(String key, byte[] src, int offset, int length) throws IOException {
    sendCommand(RequestKind.PUT, key, () -> super.put(key, src, offset, length));
  }

  @Override
  public MultipartUpload beginMultipart(String key, Map<String, String> metadata)
      throws IOException {
    return send(RequestKind.MULTIPART_BEGIN, key, () -> super.beginMultipart(key, metadata));
  }

  @Override
  public UploadedPart uploadPart(MultipartUpload upload, int number, PartBody body)
      throws IOException {
    return send(RequestKind.PART, upload.key(), () -> super.uploadPart(upload, number, body));
  }

  @Override
  public void completeMultipart(MultipartUpload upload, List<UploadedPart> parts)
      throws IOException {
    sendCommand(RequestKind.COMPLETE, upload.key(), () -> super.completeMultipart(upload, parts));
  }

  @Override
  public void abortMultipart(MultipartUpload upload) throws IOException {
    sendCommand(RequestKind.ABORT, upload.key(), () -> super.abortMultipart(upload));
  }

  @Override
  public List<MultipartUpload> listMultipart(String prefix) throws IOException {
    return send(RequestKind.LIST_MULTIPART, prefix, () -> super.listMultipart(prefix));
  }

  @Override
  public void list(String prefix, Consumer<ListedObject> each) throws IOException {
    Map<String, ListedObject> seen = new LinkedHashMap<>();
    sendCommand(RequestKind.LIST, prefix, () -> super.list(prefix, o -> seen.put(o.key(), o)));
    seen.values().forEach(each);
  }

  @Override
  public void delete(Collection<String> keys) throws IOException {
    sendCommand(RequestKind.DELETE, String.join(" ", keys), () -> super.delete(keys));
  }

  @Override
  public String toString() {
    return "faults: rate " + rate + ", seed " + seed + "L";
  }
}
