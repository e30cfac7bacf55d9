// SPDX-License-Identifier: Apache-2.0
package org.jgits3.simulation.world;

import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jgits3.simulation.Scheduler;
import org.jgits3.store.ArraysObjectStore;
import org.jgits3.store.GetResult;
import org.jgits3.store.ListedObject;
import org.jgits3.store.MultipartUpload;
import org.jgits3.store.ObjectInfo;
import org.jgits3.store.ObjectVersion;
import org.jgits3.store.PartBody;
import org.jgits3.store.Precondition;
import org.jgits3.store.PutOutcome;
import org.jgits3.store.StoreException;
import org.jgits3.store.UploadedPart;

/**
 * The way of one process to the bucket. Each request is a step before it arrives, and sometimes one
 * before its answer does; there others run, and things go wrong.
 */
final class Client extends ArraysObjectStore {
  private static final long LONG_PAUSE = TimeUnit.SECONDS.toNanos(120);

  private final Bucket bucket;
  private final Scheduler scheduler;
  private final Scheduler.Jvm process;

  Client(Bucket bucket, Scheduler.Jvm process) {
    this.bucket = bucket;
    this.scheduler = bucket.scheduler();
    this.process = process;
  }

  /** One conditional write, which may arrive several times. */
  @FunctionalInterface
  private interface Attempt {
    PutOutcome send();
  }

  private boolean happens(int perMille) {
    return perMille > 0 && scheduler.random().nextInt(1000) < perMille;
  }

  /** The time until a request arrives, or its answer. */
  private void travel() {
    Trouble trouble = bucket.trouble();
    if (happens(trouble.pauses())) {
      scheduler.sleep(scheduler.random().nextLong(LONG_PAUSE));
    } else {
      scheduler.step();
    }
    bucket.deliverSome();
  }

  /** Travels to the store; the process may die, and the request arrive nevertheless. */
  private void depart(Runnable request) {
    travel();
    if (happens(bucket.trouble().deaths())) {
      int arrives = scheduler.random().nextInt(3);
      if (arrives == 0) {
        bucket.late(request);
      } else if (arrives == 1) {
        request.run();
      }
      scheduler.kill(process);
      scheduler.step(); // which ends this
    }
  }

  private void arrive() {
    if (scheduler.random().nextBoolean()) {
      travel();
    }
  }

  @Override
  public PutOutcome putIf(String key, byte[] body, Precondition precondition) {
    byte[] bytes = body.clone();
    Object by = bucket.rules().current();
    Attempt request = () -> bucket.putIf(key, bytes, precondition, by);
    depart(request::send);
    Trouble trouble = bucket.trouble();
    PutOutcome outcome;
    if (happens(trouble.refused())) {
      outcome = unknown("busy");
    } else if (happens(trouble.late())) {
      bucket.late(request::send);
      outcome = unknown("late");
    } else if (happens(trouble.lost())) {
      request.send();
      outcome = unknown("answer lost");
    } else {
      outcome = request.send();
      if (happens(trouble.twice())) {
        arrive();
        outcome = request.send();
      }
    }
    String told = outcome.getClass().getSimpleName();
    scheduler.trace(() -> "PUT-IF " + told + " " + key);
    arrive();
    return outcome;
  }

  private PutOutcome unknown(String why) {
    bucket.rules().doubt();
    return new PutOutcome.Unknown("simulated: " + why, Duration.ofMillis(5));
  }

  private StoreException unavailable(String key) {
    scheduler.trace(() -> "no answer " + key);
    bucket.rules().doubt();
    return new StoreException.Unavailable(key, key + ": simulated: no answer", null);
  }

  private <T> T read(String what, String key, Supplier<T> request) throws StoreException {
    depart(() -> {});
    if (happens(bucket.trouble().unread())) {
      throw unavailable(key);
    }
    scheduler.trace(() -> what + " " + key);
    T answer = request.get();
    arrive();
    return answer;
  }

  /** A change that may be repeated without harm. */
  private void change(String what, String key, Runnable request) throws StoreException {
    depart(request);
    Trouble trouble = bucket.trouble();
    if (happens(trouble.unread())) {
      int fate = scheduler.random().nextInt(3);
      if (fate == 0) {
        request.run();
      } else if (fate == 1) {
        bucket.late(request);
      }
      throw unavailable(key);
    }
    scheduler.trace(() -> what + " " + key);
    request.run();
  }

  @Override
  public GetResult get(String key, Optional<ObjectVersion> known, Duration limit)
      throws IOException {
    return read("GET", key, () -> answer(bucket.get(key), known));
  }

  @Override
  protected Stored find(String request, String key) throws IOException {
    return read(request, key, () -> bucket.get(key));
  }

  @Override
  public Optional<ObjectInfo> stat(String key) throws IOException {
    return read(
        "STAT",
        key,
        () ->
            Optional.ofNullable(bucket.get(key))
                .map(found -> new ObjectInfo(found.bytes().length, found.version(), Map.of())));
  }

  @Override
  public void put(String key, byte[] src, int offset, int length) throws IOException {
    byte[] bytes = Arrays.copyOfRange(src, offset, offset + length);
    change("PUT", key, () -> bucket.put(key, bytes));
  }

  @Override
  public UploadedPart uploadPart(MultipartUpload upload, int number, PartBody body)
      throws IOException {
    scheduler.step();
    return super.uploadPart(upload, number, body);
  }

  @Override
  public void completeMultipart(MultipartUpload upload, List<UploadedPart> parts)
      throws IOException {
    byte[] whole = whole(upload);
    change("COMPLETE", upload.key(), () -> bucket.put(upload.key(), whole));
  }

  @Override
  public void list(String prefix, Consumer<ListedObject> each) throws IOException {
    List<ListedObject> found =
        read(
            "LIST",
            prefix,
            () ->
                bucket.objects().tailMap(prefix, true).entrySet().stream()
                    .takeWhile(e -> e.getKey().startsWith(prefix))
                    .map(e -> listed(e.getKey(), e.getValue()))
                    .toList());
    found.forEach(each);
  }

  private static ListedObject listed(String key, Stored stored) {
    return new ListedObject(key, stored.bytes().length, Optional.of(stored.version()));
  }

  @Override
  public void delete(Collection<String> keys) throws IOException {
    List<String> doomed = List.copyOf(keys);
    change("DELETE", String.join(" ", doomed), () -> bucket.delete(doomed));
  }

  @Override
  public String location() {
    return "simulated:";
  }
}
