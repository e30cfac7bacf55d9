// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.s3;

import static java.util.function.Predicate.not;

import java.io.IOException;
import java.net.URL;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jgits3.internal.store.s3.S3Failure.Kind;
import org.jgits3.internal.store.s3.S3Failure.ShortBodyException;
import org.jgits3.store.GetResult;
import org.jgits3.store.ListedObject;
import org.jgits3.store.MultipartUpload;
import org.jgits3.store.ObjectInfo;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.ObjectVersion;
import org.jgits3.store.PartBody;
import org.jgits3.store.Precondition;
import org.jgits3.store.ProbedService;
import org.jgits3.store.PutOutcome;
import org.jgits3.store.ReadRequest;
import org.jgits3.store.StoreException;
import org.jgits3.store.StoreLocation;
import org.jgits3.store.StoreOptions;
import org.jgits3.store.UploadedPart;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.sync.ResponseTransformer;
import software.amazon.awssdk.http.AbortableInputStream;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3ClientBuilder;
import software.amazon.awssdk.services.s3.model.GetObjectRequest;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Request;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;
import software.amazon.awssdk.services.s3.model.ObjectIdentifier;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;
import software.amazon.awssdk.services.s3.model.S3Error;
import software.amazon.awssdk.services.s3.model.S3Object;

/**
 * Store in an S3 bucket: a general-purpose or directory bucket of AWS, or one of a server that
 * honours the same conditional requests.
 *
 * <p>Every body is transferred once and without a copy: it is received in an array of its exact
 * size or in the caller's slice, and sent from the caller's slice together with a checksum that the
 * server checks, see {@link ProbedService.Dialect}. Downloads are not checked here; stored objects
 * carry their own checksums.
 *
 * <p>A request that can be repeated without harm is repeated until the store has failed for the
 * time of {@link StoreOptions#requestDeadline}; see {@link Retries}. {@link #putIf} is one attempt.
 *
 * <p>A {@link #read} whose connection breaks resumes where it broke: the rest is requested of the
 * same version ({@code If-Match}), and no byte is read twice. If that version is gone, a caller
 * that named it gets {@link StoreException.Changed}. For other callers, whose versions may mean
 * nothing, the read starts over with the new version. A bad line only slows a range down; answers
 * that end too early again and again without progress are {@link StoreException.BrokenOff}. {@link
 * #get} and {@link #compare} start over as a whole, because their bytes are few or not kept. Only a
 * body that was received completely can be found damaged.
 *
 * <p>Some connections are reserved for {@link #get} and {@link #putIf}, so that manifests do not
 * wait for transfers.
 *
 * <p>Safe for use by many threads. A thread that is interrupted sends nothing more: its request
 * fails as undecided and the interrupt stays set. That ends a pause between attempts, but not the
 * wait for an answer.
 */
public final class S3ObjectStore implements ObjectStore {
  /** Most keys that S3 takes in one DeleteObjects. */
  private static final int DELETE_BATCH = 1000;

  /** Bytes of a body that are compared at once. */
  private static final int COMPARED_AT_ONCE = 64 << 10;

  /** Time after which an unanswered small write is in doubt; its caller repeats it. */
  static final Duration WRITE_TIMEOUT = Duration.ofSeconds(10);

  /**
   * Time limit of the first attempt to read a small object; each further one has twice as much, up
   * to {@link #WRITE_TIMEOUT}. Short, because others wait for a manifest.
   */
  static final Duration READ_TIMEOUT = Duration.ofSeconds(2);

  private final StoreLocation.Bucket bucket;
  private final S3Connection connection;
  private final S3Client client;
  private final S3Requests requests;
  private final Retries retries;
  private final WriteForm form;
  private final S3Uploads uploads;

  S3ObjectStore(StoreLocation.Bucket bucket, S3Connection connection, Duration requestDeadline) {
    this(bucket, connection, requestDeadline, Completion.PATIENCE);
  }

  S3ObjectStore(
      StoreLocation.Bucket bucket,
      S3Connection connection,
      Duration requestDeadline,
      Duration completionPatience) {
    this.bucket = bucket;
    this.connection = connection;
    this.client = connection.client();
    this.requests = new S3Requests(bucket, client, connection.connections(), requestDeadline);
    this.retries = requests.retries();
    this.form = new WriteForm(requests);
    this.uploads = new S3Uploads(requests, form, completionPatience);
  }

  /**
   * Opens a store. Sends no request.
   *
   * @param bucket bucket and prefix
   * @param options how to reach it
   * @return the store
   * @throws StoreException.Refused if no region is given and the AWS default chain knows none
   */
  public static S3ObjectStore open(StoreLocation.Bucket bucket, StoreOptions options)
      throws StoreException {
    return open(bucket, options, client -> {});
  }

  /**
   * Opens a store whose client is configured further. Sends no request.
   *
   * @param bucket bucket and prefix
   * @param options how to reach it
   * @param configure gives the client other credentials or connections, which the caller closes
   *     after the store, or adds metric publishers or interceptors. Retries are set afterwards
   * @return the store
   * @throws StoreException.Refused if no region is given and the AWS default chain knows none
   */
  public static S3ObjectStore open(
      StoreLocation.Bucket bucket, StoreOptions options, Consumer<S3ClientBuilder> configure)
      throws StoreException {
    return new S3ObjectStore(
        bucket, S3Connection.open(bucket, options, configure), options.requestDeadline());
  }

  /**
   * Uses a client of the caller. Closing the store leaves it open.
   *
   * @param bucket bucket and prefix
   * @param client the client; the caller closes it, after the store
   * @param connections most connections at a time that this store gets of the client's
   * @return the store; sends no request
   * @throws IllegalArgumentException if there is not one connection
   */
  public static S3ObjectStore using(StoreLocation.Bucket bucket, S3Client client, int connections) {
    if (connections < 1) {
      throw new IllegalArgumentException(connections + " connections; at least 1 is needed");
    }
    return new S3ObjectStore(
        bucket,
        S3Connection.borrowing(client, connections),
        StoreOptions.DEFAULT.requestDeadline());
  }

  @Override
  public GetResult get(String key, Optional<ObjectVersion> known, Duration limit)
      throws IOException {
    GetObjectRequest.Builder request =
        GetObjectRequest.builder()
            .bucket(bucket.bucket())
            .key(requests.key(key))
            .ifNoneMatch(known.map(ObjectVersion::value).orElse(null));
    try {
      return requests.send(
          key,
          retries.begin(limit),
          failures ->
              client.getObject(
                  request.overrideConfiguration(S3Requests.within(readTimeout(failures))).build(),
                  whole(key)));
    } catch (StoreException.Missing e) {
      return new GetResult.Missing();
    }
  }

  private static Duration readTimeout(int failures) {
    Duration timeout = READ_TIMEOUT.multipliedBy(1L << Math.min(failures, 8));
    return timeout.compareTo(WRITE_TIMEOUT) < 0 ? timeout : WRITE_TIMEOUT;
  }

  private ResponseTransformer<GetObjectResponse, GetResult> whole(String key) {
    return (response, in) -> {
      if (AnswerRepairs.wasNotModified(response.sdkHttpResponse())) {
        in.close();
        return new GetResult.NotModified();
      }
      Long length = response.contentLength();
      if (length == null || length > Integer.MAX_VALUE - 8) {
        in.abort();
        throw new StoreException.Corrupt(
            key, requests.location(key) + ": not a small object, its length is " + length, null);
      }
      ObjectVersion version = S3Requests.version(response.eTag());
      byte[] bytes = new byte[length.intValue()];
      if (bytes.length > 0) {
        fill(bytes, bytes.length, version, in);
      }
      return new GetResult.Found(bytes, version);
    };
  }

  @Override
  public ObjectVersion read(ReadRequest range) throws IOException {
    RangeDownload download = new RangeDownload(range);
    Retries.Run run = retries.begin();
    while (true) {
      ReadRequest rest = download.rest();
      try {
        ObjectVersion version = requests.connected(() -> request(rest, download::take));
        retries.answered();
        return version;
      } catch (SdkException e) {
        S3Failure failure = S3Failure.of(e);
        if (download.hasProgressed()) {
          run.progressed();
        }
        if (!run.goesOnAfter(failure)) {
          StoreException failed = requests.failed(range.key(), failure);
          boolean resumed = rest.length() < range.length();
          if (!(failed instanceof StoreException.Changed
              && resumed
              && range.expected().isEmpty())) {
            throw failed;
          }
          download.restart(); // another version will do, from its beginning
        }
      }
    }
  }

  @Override
  public boolean compare(ReadRequest held) throws IOException {
    try {
      return requests.send(
          held.key(), () -> request(held, (version, in) -> matches(held, version, in)));
    } catch (StoreException.Corrupt | StoreException.BrokenOff e) {
      return false; // shorter than the range, or its size is unknown
    }
  }

  private static boolean matches(ReadRequest held, ObjectVersion version, AbortableInputStream in)
      throws ShortBodyException {
    byte[] chunk = new byte[Math.min(COMPARED_AT_ONCE, held.length())];
    for (int done = 0; done < held.length(); done += chunk.length) {
      int n = Math.min(chunk.length, held.length() - done);
      fill(chunk, n, version, in);
      int from = held.dstOffset() + done;
      if (!Arrays.equals(chunk, 0, n, held.dst(), from, from + n)) {
        in.abort();
        return false;
      }
    }
    return true;
  }

  private static void fill(byte[] dst, int length, ObjectVersion version, AbortableInputStream in)
      throws ShortBodyException {
    ReadRequest all = new ReadRequest("", 0, dst, 0, length, Optional.empty());
    new RangeDownload(all).take(version, in);
  }

  /** Takes the body of an answer that has the right range. */
  @FunctionalInterface
  private interface Taker<T> {
    T take(ObjectVersion version, AbortableInputStream in) throws IOException;
  }

  private <T> T request(ReadRequest rest, Taker<T> taker) {
    long end = rest.offset() + rest.length() - 1;
    GetObjectRequest request =
        GetObjectRequest.builder()
            .bucket(bucket.bucket())
            .key(requests.key(rest.key()))
            .range("bytes=" + rest.offset() + "-" + end)
            .ifMatch(rest.expected().map(ObjectVersion::value).orElse(null))
            .build();
    return client.getObject(
        request,
        (response, in) -> {
          try {
            ObjectVersion version = check(rest, end, response);
            return taker.take(version, in);
          } catch (StoreException e) {
            in.abort();
            throw e;
          }
        });
  }

  /** Checks that an answer has the range that was requested, of the version that was expected. */
  private ObjectVersion check(ReadRequest rest, long end, GetObjectResponse response)
      throws StoreException {
    String key = rest.key();
    ObjectVersion version = S3Requests.version(response.eTag());
    if (rest.expected().filter(not(version::equals)).isPresent()) {
      throw new StoreException.Changed(
          key, requests.location(key) + ": has another version now", null);
    }
    String range = "bytes " + rest.offset() + "-" + end + "/";
    String sent = response.contentRange();
    Long length = response.contentLength();
    if (sent == null || !sent.startsWith(range) || length == null || length != rest.length()) {
      String what = ": asked for " + range + "*, got " + sent + ", " + length + " bytes";
      throw new StoreException.Corrupt(key, requests.location(key) + what, null);
    }
    return version;
  }

  @Override
  public Optional<ObjectInfo> stat(String key) throws IOException {
    return requests.stat(key);
  }

  @Override
  public PutOutcome putIf(String key, byte[] body, Precondition precondition) throws IOException {
    PartBody content = PartBody.of(body, 0, body.length);
    PutObjectRequest.Builder request =
        form.put(key, content).overrideConfiguration(S3Requests.within(WRITE_TIMEOUT));
    if (precondition instanceof Precondition.Matches matches) {
      request.ifMatch(form.named(matches.version()));
    } else {
      request.ifNoneMatch("*");
    }
    try {
      ObjectVersion version = put(request.build(), content);
      retries.answered();
      return new PutOutcome.Won(version);
    } catch (SdkException e) {
      return outcome(key, precondition, S3Failure.of(e));
    }
  }

  private PutOutcome outcome(String key, Precondition precondition, S3Failure failure)
      throws StoreException {
    if (failure.kind() == Kind.PRECONDITION_FAILED
        || (failure.kind() == Kind.NO_SUCH_KEY && precondition instanceof Precondition.Matches)) {
      return new PutOutcome.Lost();
    }
    if (failure.undecided()) {
      return new PutOutcome.Unknown(
          requests.location(key) + ": " + failure.reason(), retries.turn(failure));
    }
    throw requests.failed(key, failure);
  }

  @Override
  public void put(String key, byte[] src, int offset, int length) throws IOException {
    PartBody content = PartBody.of(src, offset, length);
    PutObjectRequest request = form.put(key, content).build();
    requests.send(key, () -> put(request, content));
  }

  private ObjectVersion put(PutObjectRequest request, PartBody content) {
    return S3Requests.version(client.putObject(request, WriteForm.body(content)).eTag());
  }

  @Override
  public MultipartUpload beginMultipart(String key, Map<String, String> metadata)
      throws IOException {
    return uploads.begin(key, metadata);
  }

  @Override
  public UploadedPart uploadPart(MultipartUpload upload, int number, PartBody body)
      throws IOException {
    return uploads.upload(upload, number, body);
  }

  @Override
  public void completeMultipart(MultipartUpload upload, List<UploadedPart> parts)
      throws IOException {
    uploads.complete(upload, parts);
  }

  @Override
  public void abortMultipart(MultipartUpload upload) throws IOException {
    uploads.abort(upload);
  }

  @Override
  public List<MultipartUpload> listMultipart(String prefix) throws IOException {
    return uploads.list(prefix);
  }

  @Override
  public void list(String prefix, Consumer<ListedObject> each) throws IOException {
    ListObjectsV2Request.Builder request =
        ListObjectsV2Request.builder().bucket(bucket.bucket()).prefix(requests.key(prefix));
    ListObjectsV2Response page;
    do {
      ListObjectsV2Request next = request.build();
      page = requests.send(prefix, () -> whole(next, client.listObjectsV2(next)));
      for (S3Object object : page.contents()) {
        each.accept(
            new ListedObject(
                requests.keyOf(object.key()),
                object.size(),
                Optional.ofNullable(object.eTag()).map(ObjectVersion::new)));
      }
      request.continuationToken(page.nextContinuationToken());
    } while (isTruncated(page));
  }

  /**
   * Checks that an answer is a listing, and does not lead to itself. The SDK takes other documents,
   * such as the page of a proxy, for an empty one.
   */
  private static ListObjectsV2Response whole(
      ListObjectsV2Request request, ListObjectsV2Response page) {
    if (page.name() == null) {
      throw SdkClientException.create("no whole listing: it does not name the bucket");
    }
    if (isTruncated(page) && isEmpty(page.nextContinuationToken())) {
      throw SdkClientException.create("no whole listing: it goes on, but has no token");
    }
    if (isTruncated(page) && page.nextContinuationToken().equals(request.continuationToken())) {
      throw SdkClientException.create("no whole listing: its token leads to the same page again");
    }
    if (page.contents().stream().anyMatch(o -> isEmpty(o.key()) || o.size() == null)) {
      throw SdkClientException.create("no whole listing: an object without key or size");
    }
    return page;
  }

  private static boolean isTruncated(ListObjectsV2Response page) {
    return page.isTruncated() == null ? !isEmpty(page.nextContinuationToken()) : page.isTruncated();
  }

  private static boolean isEmpty(String text) {
    return text == null || text.isEmpty();
  }

  @Override
  public void delete(Collection<String> keys) throws IOException {
    List<String> all = List.copyOf(keys);
    for (int from = 0; from < all.size(); from += DELETE_BATCH) {
      deleteBatch(all.subList(from, Math.min(all.size(), from + DELETE_BATCH)));
    }
  }

  private void deleteBatch(List<String> keys) throws StoreException {
    List<ObjectIdentifier> objects =
        keys.stream()
            .map(key -> ObjectIdentifier.builder().key(requests.key(key)).build())
            .toList();
    List<S3Error> kept =
        requests
            .send(
                keys.get(0),
                () ->
                    client.deleteObjects(
                        b -> b.bucket(bucket.bucket()).delete(d -> d.objects(objects).quiet(true))))
            .errors()
            .stream()
            .filter(e -> !"NoSuchKey".equals(e.code()))
            .toList();
    if (!kept.isEmpty()) {
      throw notDeleted(kept);
    }
  }

  private StoreException notDeleted(List<S3Error> errors) {
    S3Error first = errors.get(0);
    String key = first.key() == null ? "" : requests.keyOf(first.key());
    String more = errors.size() == 1 ? "" : ", and " + (errors.size() - 1) + " more";
    String message = requests.location(key) + ": not deleted: " + first.code() + more;
    return "AccessDenied".equals(first.code())
        ? new StoreException.Refused(key, message + "; allow s3:DeleteObject", null)
        : new StoreException.Unavailable(key, message, null);
  }

  @Override
  public Optional<String> service() {
    URL place = client.utilities().getUrl(b -> b.bucket(bucket.bucket()).key(requests.key("*")));
    return Optional.of(place.getProtocol() + "://" + place.getAuthority() + place.getPath());
  }

  @Override
  public Optional<ProbedService> probedService() {
    return Optional.of(new S3ProbedService(requests, form, uploads));
  }

  @Override
  public String location() {
    return bucket.toString();
  }

  @Override
  public String toString() {
    return "S3ObjectStore[" + location() + "]";
  }

  @Override
  public void endRetries() {
    retries.end();
  }

  @Override
  public void close() {
    retries.end();
    connection.close();
  }
}
