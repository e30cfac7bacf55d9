// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import org.jgits3.internal.store.s3.S3Failure.ShortBodyException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import software.amazon.awssdk.awscore.exception.AwsErrorDetails;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.http.SdkHttpResponse;
import software.amazon.awssdk.services.s3.model.S3Exception;

/** Tests of the repetition of failed requests, on the clock of the test. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class RetriesTest {
  private static final Duration DEADLINE = Duration.ofSeconds(60);
  private final SdkException noAnswer = SdkClientException.create("connection refused");

  private long now = 17;

  /** The policy of a store that has answered before. */
  private Retries proven() {
    Retries retries = new Retries(DEADLINE, () -> now);
    retries.answered();
    return retries;
  }

  private static SdkException answer(int status, String... header) {
    SdkHttpResponse.Builder response = SdkHttpResponse.builder().statusCode(status);
    if (header.length > 0) {
      response.putHeader(header[0], header[1]);
    }
    return (SdkException)
        S3Exception.builder()
            .statusCode(status)
            .awsErrorDetails(AwsErrorDetails.builder().sdkHttpResponse(response.build()).build())
            .build();
  }

  /** Fails until the request is given up, and returns the moments of its attempts. */
  private List<Duration> attempts(Retries.Run run, SdkException failure) {
    long start = now;
    List<Duration> moments = new ArrayList<>();
    Optional<Duration> pause;
    do {
      moments.add(Duration.ofNanos(now - start));
      pause = run.pauseAfter(S3Failure.of(failure));
      now += pause.orElse(Duration.ZERO).toNanos();
    } while (pause.isPresent());
    return moments;
  }

  @Test
  void a_request_is_repeated_until_the_deadline_with_growing_pauses() {
    for (SdkException failure : List.of(noAnswer, answer(503), answer(500))) {
      List<Duration> moments = attempts(proven().begin(), failure);
      assertThat(moments).hasSizeBetween(15, 200).last().isEqualTo(DEADLINE);
      assertThat(moments.get(3)).isLessThan(Duration.ofSeconds(1));
    }
  }

  @Test
  void the_deadline_begins_with_the_first_failure_after_progress() {
    Retries.Run run = proven().begin();
    now += DEADLINE.toNanos(); // the first attempt takes as long
    attempts(run, noAnswer);
    run.progressed();
    assertThat(attempts(run, noAnswer)).last().isEqualTo(DEADLINE);
  }

  @Test
  void a_store_that_never_answered_is_given_up_after_a_second() {
    Retries retries = new Retries(DEADLINE, () -> now);
    assertThat(attempts(retries.begin(), noAnswer)).last().isEqualTo(Duration.ofSeconds(1));
    retries.begin().pauseAfter(S3Failure.of(answer(404)));
    assertThat(attempts(retries.begin(), noAnswer)).last().isEqualTo(DEADLINE);
  }

  @Test
  void first_request_is_repeated_as_others_if_the_store_is_busy() {
    for (SdkException failure : List.of(answer(500), answer(503), answer(429))) {
      Retries retries = new Retries(DEADLINE, () -> now);
      assertThat(attempts(retries.begin(), failure)).last().isEqualTo(DEADLINE);
    }
  }

  @Test
  void a_request_is_repeated_no_longer_than_its_caller_has_time() {
    Retries retries = proven();
    Duration little = Duration.ofSeconds(5);
    assertThat(attempts(retries.begin(little), noAnswer))
        .hasSizeGreaterThan(3)
        .last()
        .isEqualTo(little);
    assertThat(attempts(retries.begin(Duration.ZERO), noAnswer)).hasSize(1);
    assertThat(attempts(retries.begin(DEADLINE.multipliedBy(2)), noAnswer))
        .last()
        .isEqualTo(DEADLINE);
  }

  @Test
  void a_refusal_is_final() {
    assertThat(attempts(proven().begin(), answer(403))).hasSize(1);
    assertThat(attempts(proven().begin(), answer(404))).hasSize(1);
    assertThat(attempts(proven().begin(), answer(412))).hasSize(1);
  }

  @Test
  void an_object_whose_bodies_break_off_without_progress_is_given_up_soon() {
    SdkException broken = SdkClientException.create("broken", new ShortBodyException(1, 2, null));
    assertThat(attempts(proven().begin(), broken)).hasSize(Retries.BREAKS);
  }

  @Test
  void a_store_that_says_when_to_come_again_is_not_asked_before() {
    List<Duration> moments = attempts(proven().begin(), answer(503, "Retry-After", "3"));
    for (int i = 1; i < moments.size() - 1; i++) {
      assertThat(moments.get(i).minus(moments.get(i - 1)))
          .isGreaterThanOrEqualTo(Duration.ofSeconds(3));
    }
    assertThat(moments).hasSizeBetween(15, 21).last().isEqualTo(DEADLINE);
  }

  /** MinIO says 60 or 120 with every 503, though it may be over within a second. */
  @Test
  void a_store_that_asks_for_minutes_is_asked_again_within_seconds() {
    for (String seconds : List.of("60", "120")) {
      List<Duration> moments = attempts(proven().begin(), answer(503, "Retry-After", seconds));
      assertThat(moments).hasSizeGreaterThan(10).last().isEqualTo(DEADLINE);
      assertThat(proven().turn(S3Failure.of(answer(503, "Retry-After", seconds))))
          .isLessThan(Duration.ofSeconds(5));
    }
  }

  /** One of many requests, and the moment of its next attempt. */
  private record Waiting(long due, Retries.Run run) {}

  @Test
  void a_failing_store_is_asked_fifty_times_a_second_by_however_many_requests() {
    Retries retries = proven();
    PriorityQueue<Waiting> waiting = new PriorityQueue<>(Comparator.comparingLong(Waiting::due));
    for (int i = 0; i < 2000; i++) {
      waiting.add(new Waiting(now, retries.begin()));
    }
    long start = now;
    int repeated = -waiting.size();
    while (!waiting.isEmpty()) {
      Waiting next = waiting.remove();
      now = next.due();
      repeated++;
      next.run()
          .pauseAfter(S3Failure.of(noAnswer))
          .ifPresent(pause -> waiting.add(new Waiting(now + pause.toNanos(), next.run())));
    }
    long seconds = Duration.ofNanos(now - start).toSeconds();
    assertThat(repeated).isLessThanOrEqualTo((int) (seconds + 2) * Retries.PER_SECOND);
  }

  @Test
  void conditional_writes_take_their_turns_with_all_others() {
    Retries retries = proven();
    S3Failure failure = S3Failure.of(noAnswer);
    Duration last = Duration.ZERO;
    for (int i = 0; i < 10 * Retries.PER_SECOND; i++) {
      last = retries.turn(failure);
    }
    assertThat(last).isBetween(Duration.ofMillis(8900), Duration.ofMillis(9100));
  }

  @Test
  void requests_that_are_given_up_take_no_turn_from_those_after_the_outage() {
    Retries retries = proven();
    S3Failure failure = S3Failure.of(noAnswer);
    Retries.Run late = retries.begin();
    late.pauseAfter(failure);
    now += DEADLINE.toNanos();
    for (int i = 0; i < 100 * Retries.PER_SECOND; i++) {
      assertThat(late.pauseAfter(failure)).isEmpty();
    }
    assertThat(retries.turn(failure)).isZero();
    assertThat(attempts(retries.begin(), noAnswer)).last().isEqualTo(DEADLINE);
  }

  @Test
  void no_turn_takes_longer_than_the_deadline_however_many_failed_together() {
    Retries retries = proven();
    S3Failure failure = S3Failure.of(noAnswer);
    for (int i = 0; i < 2 * DEADLINE.toSeconds() * Retries.PER_SECOND; i++) {
      retries.begin().pauseAfter(failure);
      retries.turn(failure);
    }
    assertThat(retries.turn(failure)).isLessThanOrEqualTo(DEADLINE);
    now += DEADLINE.toNanos();
    assertThat(retries.turn(failure)).isLessThan(Duration.ofSeconds(1));
  }

  /** Runs a request that always fails, and returns when it has failed once. */
  private FutureTask<Void> failing(Retries retries, Thread[] thread) throws Exception {
    CountDownLatch failed = new CountDownLatch(1);
    FutureTask<Void> task =
        new FutureTask<>(
            () ->
                retries.run(
                    retries.begin(),
                    failures -> {
                      failed.countDown();
                      throw answer(503, "Retry-After", "3600");
                    }));
    thread[0] = new Thread(task);
    thread[0].start();
    failed.await();
    return task;
  }

  @Test
  void the_end_of_the_store_ends_a_pause_and_repeats_no_more() throws Exception {
    Retries retries = new Retries(Duration.ofDays(1));
    retries.answered();
    FutureTask<Void> task = failing(retries, new Thread[1]);
    retries.end();
    assertThatThrownBy(task::get).hasCauseInstanceOf(S3Exception.class);
    assertThat(attempts(retries.begin(), noAnswer)).hasSize(1);
  }

  @Test
  void an_interrupt_ends_a_pause() throws Exception {
    Retries retries = new Retries(Duration.ofDays(1));
    retries.answered();
    Thread[] thread = new Thread[1];
    FutureTask<Void> task = failing(retries, thread);
    thread[0].interrupt();
    assertThatThrownBy(task::get).hasCauseInstanceOf(S3Exception.class);
  }
}
