// SPDX-License-Identifier: Apache-2.0
package org.jgits3.simulation.world;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.HashSet;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.eclipse.jgit.annotations.Nullable;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.simulation.Scheduler;
import org.jgits3.store.DelegatingObjectStore;
import org.jgits3.store.GetResult;
import org.jgits3.store.ListedObject;
import org.jgits3.store.ObjectVersion;
import org.jgits3.store.Precondition;
import org.jgits3.store.PutOutcome;

/** The way of one process to the bucket, on which each request waits until a trace sends it. */
final class SteppedClient extends DelegatingObjectStore {
  private final Bucket bucket;
  private final Scheduler scheduler;
  private final Scheduler.Jvm process;
  private final Queue<Request> waiting = new ArrayDeque<>();
  private boolean idle = true;
  private final Set<String> listed = new HashSet<>();

  /** A request. The write is null for any but a conditional write. */
  static final class Request {
    final String kind;
    final String key;
    private final Supplier<Boolean> changes;
    @Nullable private final Supplier<PutOutcome> write;
    @Nullable private PutOutcome answer;
    private boolean goesOn;

    private Request(
        String kind, String key, Supplier<Boolean> changes, @Nullable Supplier<PutOutcome> write) {
      this.kind = kind;
      this.key = key;
      this.changes = changes;
      this.write = write;
    }

    /** Tests whether it is a conditional write. */
    boolean isWrite() {
      return write != null;
    }

    /** Lets it, or a copy of it, arrive if it is a conditional write. */
    @Nullable
    PutOutcome deliver() {
      return write == null ? null : write.get();
    }

    /** Tests whether it changes the bucket if it arrives now. */
    boolean changes() {
      return changes.get();
    }
  }

  SteppedClient(Bucket bucket, Scheduler.Jvm process) {
    super(new Client(bucket, process));
    this.bucket = bucket;
    this.scheduler = bucket.scheduler();
    this.process = process;
  }

  Scheduler.Jvm process() {
    return process;
  }

  /** Learns that its process is idle, or begins an operation. */
  void idle(boolean is) {
    idle = is;
  }

  /** Tests whether all names or all manifests were listed. */
  boolean hasListed(String kind) {
    return listed.contains(kind.equals("pointer") ? RepositoryName.PREFIX : ObjectNames.MANIFESTS);
  }

  /** The next request; empty if its process has ended its operation. */
  Optional<Request> next() {
    scheduler.await(() -> process.dead() || idle || !waiting.isEmpty());
    return process.dead() ? Optional.empty() : Optional.ofNullable(waiting.peek());
  }

  /** Sends requests as long as a condition holds. */
  void sendWhile(Predicate<Request> condition) {
    while (next().filter(condition).isPresent()) {
      send();
    }
  }

  /** Sends requests up to one that is wanted, and that. */
  void sendUpTo(Predicate<Request> wanted) {
    sendWhile(wanted.negate());
    next().ifPresent(any -> send());
  }

  /** Sends the next request, and has it answered. */
  void send() {
    Request request = waiting.element();
    request.answer = request.deliver();
    goOn();
  }

  /** Leaves the next request, a conditional write, without an answer for some time. */
  void sendWithoutAnswer(long nanos) {
    waiting.element().answer = new PutOutcome.Unknown("simulated: no answer");
    bucket.rules().doubt();
    scheduler.sleep(nanos);
    goOn();
  }

  private void goOn() {
    waiting.remove().goesOn = true;
    next();
  }

  private Request await(Request request) {
    waiting.add(request);
    scheduler.await(() -> request.goesOn);
    return request;
  }

  @Override
  public GetResult get(String key, Optional<ObjectVersion> known) throws IOException {
    await(new Request("GET", key, () -> false, null));
    return super.get(key, known);
  }

  @Override
  public void list(String prefix, Consumer<ListedObject> each) throws IOException {
    await(new Request("LIST", prefix, () -> false, null));
    listed.add(prefix);
    super.list(prefix, each);
  }

  @Override
  public PutOutcome putIf(String key, byte[] body, Precondition condition) {
    byte[] bytes = body.clone();
    Object by = bucket.rules().current();
    Request request =
        new Request(
            "PUT",
            key,
            () -> bucket.holds(condition, key),
            () -> bucket.putIf(key, bytes, condition, by));
    return await(request).answer;
  }

  @Override
  public void put(String key, byte[] src, int offset, int length) throws IOException {
    await(new Request("UPLOAD", key, () -> true, null));
    super.put(key, src, offset, length);
  }

  @Override
  public void delete(Collection<String> keys) throws IOException {
    await(new Request("DELETE", keys.iterator().next(), () -> true, null));
    super.delete(keys);
  }
}
