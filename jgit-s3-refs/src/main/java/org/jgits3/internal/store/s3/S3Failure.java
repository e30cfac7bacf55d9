// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.s3;

import static java.util.Map.entry;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jgits3.internal.function.Causes;
import org.jgits3.store.StoreException;
import software.amazon.awssdk.awscore.exception.AwsErrorDetails;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.core.exception.AbortedException;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.exception.SdkServiceException;

/**
 * Meaning of a failed request to S3. The only place that reads error codes; the code takes
 * precedence over the status, because gateways send the right code with the wrong status.
 *
 * @param kind meaning of the failure
 * @param reason one line, without the key and without anything secret
 * @param cause exception of the SDK
 */
record S3Failure(Kind kind, String reason, SdkException cause) {
  /** Kinds of failures that the store handles differently. */
  enum Kind {
    /** {@code 304}: the object has the version that was named. */
    NOT_MODIFIED,
    /** The precondition did not hold. */
    PRECONDITION_FAILED,
    /** There is no such object. */
    NO_SUCH_KEY,
    /** There is no such multipart upload: aborted, or completed. */
    NO_SUCH_UPLOAD,
    /**
     * {@code 404} without a code: for HEAD a missing object, otherwise the page of some other
     * server.
     */
    NOT_FOUND,
    /** The object ends before the range does. */
    INVALID_RANGE,
    /** The body ended before its Content-Length. */
    SHORT_BODY,
    /** Nothing was done, and repeating the request does not help. */
    REFUSED,
    /** Nothing was done, because the store does not know the request or a part of it. */
    UNSUPPORTED,
    /** The request may or may not have been applied. */
    UNDECIDED
  }

  /** The body of an answer ended early. */
  static final class ShortBodyException extends IOException {
    ShortBodyException(int received, int expected, IOException cause) {
      super("the body ended after " + received + " of " + expected + " bytes", cause);
    }
  }

  /** Name of S3 in the errors of the SDK; others are of services that give out credentials. */
  private static final String S3 = "S3";

  private static final Map<String, Kind> KINDS =
      Map.ofEntries(
          entry("PreconditionFailed", Kind.PRECONDITION_FAILED),
          entry("NoSuchKey", Kind.NO_SUCH_KEY),
          entry("NoSuchUpload", Kind.NO_SUCH_UPLOAD),
          entry("InvalidRange", Kind.INVALID_RANGE),
          entry("NotImplemented", Kind.UNSUPPORTED),
          entry("SlowDown", Kind.UNDECIDED),
          entry("SlowDownRead", Kind.UNDECIDED),
          entry("SlowDownWrite", Kind.UNDECIDED),
          entry("ServiceUnavailable", Kind.UNDECIDED),
          entry("RequestLimitExceeded", Kind.UNDECIDED),
          entry("Throttling", Kind.UNDECIDED),
          entry("TooManyRequests", Kind.UNDECIDED));

  /** Advice for refusals that an administrator can remedy, by error code. */
  private static final Map<String, String> ADVICE =
      Map.ofEntries(
          entry("NoSuchBucket", "there is no such bucket; create it, or correct the store's URL"),
          entry("InvalidBucketName", "the store takes no such bucket name; correct its URL"),
          entry(
              "AccessDenied",
              "access denied; give these credentials the rights to the bucket and prefix"),
          entry("AllAccessDisabled", "the bucket is disabled; ask its owner"),
          entry("AccountProblem", "the account has a problem; ask its owner"),
          entry("InvalidAccessKeyId", "the access key is unknown; correct the credentials"),
          entry(
              "SignatureDoesNotMatch",
              "the signature does not match; correct the secret key, or the region"),
          entry("XAdminUserNotFound", "the access key is unknown; correct the credentials"),
          entry("InvalidToken", "the session token is invalid; renew the credentials"),
          entry("ExpiredToken", "the credentials have expired; renew them"),
          entry("TokenRefreshRequired", "the credentials must be refreshed; renew them"),
          entry(
              "RequestTimeTooSkewed",
              "the clock of this machine and that of the store differ too much; set the clock"),
          entry("RequestExpired", "the request expired on its way; set the clock of this machine"),
          entry("PermanentRedirect", "the bucket is in another region; correct region or endpoint"),
          entry(
              "AuthorizationHeaderMalformed", "the request names the wrong region; correct region"),
          entry(
              "IllegalLocationConstraintException",
              "the bucket is in another region; correct region or endpoint"),
          entry("InsufficientStorage", "the store is full; make room"),
          entry("XMinioStorageFull", "the store is full; make room"),
          entry("XMinioAdminBucketQuotaExceeded", "the bucket's quota is used up; raise it"),
          entry("QuotaExceeded", "the bucket's quota is used up; raise it"));

  /**
   * Sources of credentials with the reason why they have none, in the SDK's message, unless that is
   * that nothing is configured.
   */
  private static final List<Pattern> CONFIGURED_SOURCES =
      List.of(
          Pattern.compile(
              "(WebIdentity\\w*)\\(\\): (?!Either the environment)(.*?), ProfileCredentialsProvider"),
          Pattern.compile(
              "(ProfileCredentialsProvider)\\(.*]\\)\\): (?!Profile file contained no)(.*?),"
                  + " ContainerCredentialsProvider"));

  /** Client errors of one transmission, not of the request: a retry may succeed. */
  private static final Set<String> TRANSIENT_CODES =
      Set.of(
          "RequestTimeout",
          "IncompleteBody",
          "BadDigest",
          "InvalidDigest",
          "XAmzContentChecksumMismatch",
          "OperationAborted",
          "ConditionalRequestConflict");

  static S3Failure of(SdkException e) {
    if (e instanceof SdkServiceException answer) {
      return ofAnswer(answer);
    }
    Optional<ShortBodyException> shortBody = Causes.find(e, ShortBodyException.class);
    if (shortBody.isPresent()) {
      return new S3Failure(Kind.SHORT_BODY, shortBody.get().getMessage(), e);
    }
    if (e instanceof AbortedException) {
      Thread.currentThread().interrupt();
      return new S3Failure(Kind.UNDECIDED, "interrupted while waiting for the store", e);
    }
    String message = firstLine(e.getMessage());
    if (message.startsWith("Unable to load credentials")) {
      return new S3Failure(Kind.REFUSED, "no credentials found; " + credentials(message), e);
    }
    return new S3Failure(
        Kind.UNDECIDED, "no answer: " + message.replace(" (SDK Attempt Count: 1)", ""), e);
  }

  /** Returns why a source that is configured has no credentials, or advice to configure one. */
  private static String credentials(String message) {
    return CONFIGURED_SOURCES.stream()
        .map(source -> source.matcher(message))
        .filter(Matcher::find)
        .map(found -> found.group(1) + ": " + plain(found.group(2)))
        .findFirst()
        .orElse(
            "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or another source of the AWS default"
                + " chain");
  }

  private static String plain(String reason) {
    return reason
        .replaceAll("\\S+\\.NoSuchFileException: ", "there is no file ")
        .replaceAll("\\S+Exception: ", "");
  }

  private static S3Failure ofAnswer(SdkServiceException e) {
    AwsErrorDetails details = e instanceof AwsServiceException aws ? aws.awsErrorDetails() : null;
    String code = details == null || details.errorCode() == null ? "" : details.errorCode();
    int status = e.statusCode();
    String said = (status + " " + code).strip();
    if (details != null && !S3.equals(Objects.requireNonNullElse(details.serviceName(), S3))) {
      Kind kind = status >= 500 || e.isThrottlingException() ? Kind.UNDECIDED : Kind.REFUSED;
      return new S3Failure(
          kind, "no credentials: " + details.serviceName() + " answered " + said, e);
    }
    if (KINDS.containsKey(code)) {
      return new S3Failure(KINDS.get(code), said, e);
    }
    if (ADVICE.containsKey(code)) {
      return new S3Failure(Kind.REFUSED, ADVICE.get(code) + " (" + status + " " + code + ")", e);
    }
    if (TRANSIENT_CODES.contains(code)) {
      return new S3Failure(Kind.UNDECIDED, said, e);
    }
    Kind kind = status == 400 && !code.isEmpty() ? Kind.UNSUPPORTED : kindOf(status);
    boolean refused = kind == Kind.REFUSED || kind == Kind.UNSUPPORTED;
    return new S3Failure(kind, refused ? refusal(said, status, details) : said, e);
  }

  private static Kind kindOf(int status) {
    return switch (status) {
      case 304 -> Kind.NOT_MODIFIED;
      case 404 -> Kind.NOT_FOUND;
      case 412 -> Kind.PRECONDITION_FAILED;
      case 416 -> Kind.INVALID_RANGE;
      case 408, 409, 429 -> Kind.UNDECIDED;
      case 501 -> Kind.UNSUPPORTED;
      case 507 -> Kind.REFUSED;
      default -> status >= 300 && status < 500 ? Kind.REFUSED : Kind.UNDECIDED;
    };
  }

  private static String refusal(String said, int status, AwsErrorDetails details) {
    if (status == 301 || status == 307 || (status == 400 && details == null)) {
      return said + "; check endpoint and region";
    }
    if (status == 401 || status == 403) {
      return said + "; check credentials, their rights to the bucket, and the clock";
    }
    if (status == 507) {
      return said + "; the store is full, make room";
    }
    String message = details == null ? null : details.errorMessage();
    return message == null ? said : said + ": " + firstLine(message);
  }

  private static String firstLine(String message) {
    return message == null ? "" : message.lines().findFirst().orElse("");
  }

  /** Tests whether the request may have been applied, or may still be. */
  boolean undecided() {
    return kind == Kind.UNDECIDED;
  }

  /** Tests whether the same request may succeed later: no answer was found to be wrong. */
  boolean isPassing() {
    return (undecided() || kind == Kind.SHORT_BODY)
        && Causes.find(cause, StoreException.class).isEmpty();
  }

  /** Tests whether a server has answered, so that its address is right. */
  boolean isAnswer() {
    return cause instanceof SdkServiceException || kind == Kind.SHORT_BODY;
  }

  /** Tests whether the store refused the request because of its time stamp. */
  boolean clockIsWrong() {
    return cause instanceof SdkServiceException answer && answer.isClockSkewException();
  }

  /** Time that the store asks to wait before a repetition; zero if it names none. */
  Duration retryAfter() {
    return Optional.of(cause)
        .filter(AwsServiceException.class::isInstance)
        .map(answer -> ((AwsServiceException) answer).awsErrorDetails())
        .map(AwsErrorDetails::sdkHttpResponse)
        .flatMap(response -> response.firstMatchingHeader("Retry-After"))
        .filter(value -> value.matches("\\d{1,6}")) // else a date, which S3 does not send
        .map(value -> Duration.ofSeconds(Long.parseLong(value)))
        .orElse(Duration.ZERO);
  }

  /**
   * Converts the failure for callers that do not handle its kind.
   *
   * @param key key relative to the store
   * @param location location of the object in messages
   */
  StoreException toException(String key, String location) {
    String message = location + ": " + reason;
    return switch (kind) {
      case NO_SUCH_KEY -> new StoreException.Missing(key, message, cause);
      case NO_SUCH_UPLOAD ->
          new StoreException.Missing(
              key, message + "; the upload was aborted or completed, start it over", cause);
      case PRECONDITION_FAILED -> new StoreException.Changed(key, message, cause);
      case INVALID_RANGE ->
          new StoreException.Corrupt(key, message + "; the object is shorter than said", cause);
      case SHORT_BODY ->
          new StoreException.BrokenOff(key, message + ", however often it was asked for", cause);
      case NOT_FOUND, NOT_MODIFIED ->
          new StoreException.Refused(
              key, message + ", which S3 does not answer here; check the endpoint", cause);
      case REFUSED -> new StoreException.Refused(key, message, cause);
      case UNSUPPORTED ->
          new StoreException.Unsupported(
              key, message + "; the store does not know such a request", cause);
      case UNDECIDED -> new StoreException.Unavailable(key, message, cause);
    };
  }
}
