// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Objects named by keys: the primitives that everything else is built from. {@code
 * ObjectStoreContract}, in the jar of the classifier {@code store-tests}, tests an implementation.
 *
 * <p>An implementation guarantees:
 *
 * <ol>
 *   <li>A write is atomic: a reader sees all of it or none of it, never a mixture of two versions.
 *   <li>A read or listing started after a write was acknowledged sees that write or a later one.
 *   <li>Of conditional writes of one key with the same {@link Precondition}, at most one is
 *       applied, whichever process they come from. The service compares and writes in one step: a
 *       read before an unconditional write keeps no such promise.
 *   <li>An acknowledged write survives a crash of every process involved.
 *   <li>Versions of different contents of one key differ. A write, a read, {@link #stat} and a
 *       listing tell the same version of the same write, in every process, as long as the object
 *       stays.
 *   <li>A listing has each object once that exists from its beginning to its end.
 * </ol>
 *
 * <p>A caller must not rely on the order of listings, a DELETE that checks anything, a key that is
 * a path prefix of another key ({@code a} and {@code a/b} must never both exist), empty path
 * segments ({@code //}), or the form of a version.
 *
 * <p>Keys are relative to the store: US-ASCII, segments separated by {@code /}, no leading or
 * trailing slash, at most 900 bytes. A listing prefix is empty or ends in {@code /}.
 *
 * <p>Implementations are safe for use by many threads, also between processes. Several are open at
 * a time for the same objects.
 *
 * <p>Failures are {@link StoreException}s whose subclass tells the caller what to do. Requests that
 * can be repeated without harm (reads, writes of immutable objects, parts, deletes) are retried
 * within the implementation for as long as an outage may last ({@link
 * StoreOptions#requestDeadline}); then they fail with {@link StoreException.Unavailable}, as a
 * request does that has no answer. Conditional writes are never retried: {@link #putIf} is one
 * attempt, bounded in time. An interrupt ends a pause between attempts.
 */
public interface ObjectStore extends Closeable {
  /**
   * Reads a small object whole, unless it still has a version the caller knows.
   *
   * @param key object to read
   * @param known version the caller holds; empty to read unconditionally
   * @param limit how long the request is repeated after its first failure, if that is less than an
   *     outage may last; zero for one attempt
   * @return the answer; {@link GetResult.NotModified} only if {@code known} was given
   * @throws StoreException.Unavailable if the store did not answer in that time
   * @throws StoreException if the store refuses, or sends fewer bytes than it said
   */
  GetResult get(String key, Optional<ObjectVersion> known, Duration limit) throws IOException;

  /**
   * Reads a small object whole, for a caller that has as much time as an outage may last.
   *
   * @param key object to read
   * @param known version the caller holds; empty to read unconditionally
   * @return the answer
   * @throws IOException as with a limit
   */
  default GetResult get(String key, Optional<ObjectVersion> known) throws IOException {
    return get(key, known, ChronoUnit.FOREVER.getDuration());
  }

  /**
   * Reads a range of an object into a slice of the caller's array, in one request, and one for the
   * rest whenever a connection breaks. The bytes are all of one version.
   *
   * @param range the range, and the slice that receives it
   * @return version the bytes came from
   * @throws StoreException.Missing if there is no such object
   * @throws StoreException.Changed if the object has another version than expected
   * @throws StoreException.Corrupt if the object ends before the range does
   * @throws StoreException.Unavailable if the store does not answer, or its body breaks again and
   *     again; the slice is then undefined
   * @throws StoreException if the store refuses; the slice is then undefined
   */
  ObjectVersion read(ReadRequest range) throws IOException;

  /**
   * Reads a range of an object.
   *
   * @param key object to read
   * @param offset first byte of the range, from 0
   * @param dst array that receives the bytes
   * @param dstOffset index in {@code dst} of the first byte
   * @param length bytes to read, at least 1; all of them must exist
   * @param expected version the bytes must have; empty for any
   * @return version the bytes came from
   * @throws IOException as with a request
   */
  default ObjectVersion read(
      String key,
      long offset,
      byte[] dst,
      int dstOffset,
      int length,
      Optional<ObjectVersion> expected)
      throws IOException {
    return read(new ReadRequest(key, offset, dst, dstOffset, length, expected));
  }

  /**
   * Compares a range of an object with bytes in memory, in one request, without holding the range.
   *
   * @param held the range, and the slice that holds the expected bytes; of any version
   * @return true if the range has exactly these bytes; false if it has others or does not exist
   * @throws StoreException.Missing if there is no such object
   * @throws StoreException if the store does not answer or refuses
   */
  boolean compare(ReadRequest held) throws IOException;

  /**
   * Returns the properties of an object without reading its bytes.
   *
   * @param key object to look at
   * @return its properties; empty if there is no such object
   * @throws StoreException if the store does not answer or refuses
   */
  Optional<ObjectInfo> stat(String key) throws IOException;

  /**
   * Makes one attempt of a conditional write of a small object. Never retried in here: a second
   * attempt would turn the caller's own success into a refusal. So a client that repeats requests
   * by itself is told not to.
   *
   * <p>{@link PutOutcome.Lost} is the answer of a service that compared and refused. Without an
   * answer, or with one that leaves the matter open (a conflict, a fault of the service), the
   * outcome is {@link PutOutcome.Unknown}.
   *
   * @param key object to write
   * @param body its new content; not modified by the caller before this returns
   * @param precondition condition under which the write is applied
   * @return the outcome of this attempt
   * @throws StoreException.Refused if the store says that it did nothing and never will: wrong
   *     credentials, no such bucket, full disk. Thrown only if nothing can have been applied
   */
  PutOutcome putIf(String key, byte[] body, Precondition precondition) throws IOException;

  /**
   * Writes an object under a name that is used once. May be sent several times; since no other
   * content is ever written under the name, a repetition changes nothing. The object keeps its
   * version, too: a store that gives each write a new one creates the object only if it is absent.
   *
   * @param key object to write
   * @param src array that holds the content; not modified by the caller before this returns or
   *     throws, and not referenced afterwards
   * @param offset index in {@code src} of the first byte
   * @param length bytes to write, 0 or more
   * @throws StoreException if the store does not answer or refuses; the object may exist
   *     nevertheless
   */
  void put(String key, byte[] src, int offset, int length) throws IOException;

  /**
   * Begins a multipart upload to a name that is used once.
   *
   * @param key object to write
   * @param metadata user metadata of the object to be, keys in lower case; read back by {@link
   *     #stat}
   * @return the upload, to be completed or aborted
   * @throws StoreException if the store does not answer or refuses
   */
  MultipartUpload beginMultipart(String key, Map<String, String> metadata) throws IOException;

  /**
   * Uploads one part. Parts may be uploaded in any order and by several threads.
   *
   * @param upload upload the part belongs to
   * @param number part number, 1 to 10,000
   * @param body its bytes, at least 5 MiB unless it is the last part; not modified by the caller
   *     before this returns or throws, and not referenced afterwards
   * @return the acknowledged part
   * @throws StoreException if the part was not acknowledged after all safe attempts
   */
  UploadedPart uploadPart(MultipartUpload upload, int number, PartBody body) throws IOException;

  /**
   * Completes an upload; only then the object is there. If the answer is lost, or the upload is
   * gone, the implementation finds out whether the object exists with the right length and metadata
   * before it reports a failure. So an upload may be completed again.
   *
   * @param upload upload to complete
   * @param parts all parts, in ascending order of number, numbered from 1 without gaps
   * @throws StoreException.Corrupt if the store says that the object has another checksum than the
   *     parts have
   * @throws StoreException if the object could not be made; the upload must not be aborted if the
   *     exception is {@link StoreException.Unavailable}, since it may still complete
   */
  void completeMultipart(MultipartUpload upload, List<UploadedPart> parts) throws IOException;

  /**
   * Aborts an upload and frees its parts; it cannot be completed any more. Does nothing if the
   * upload no longer exists.
   *
   * @param upload upload to abort, as it was begun or listed
   * @throws StoreException if the store does not answer or refuses
   */
  void abortMultipart(MultipartUpload upload) throws IOException;

  /**
   * Lists uploads that were neither completed nor aborted. A store that discards abandoned uploads
   * by itself may omit them (MinIO does).
   *
   * @param prefix empty, or a prefix of their keys that ends in {@code /}
   * @return the uploads, in no particular order
   * @throws StoreException if the store does not answer or refuses
   */
  List<MultipartUpload> listMultipart(String prefix) throws IOException;

  /**
   * Lists objects, page by page, without holding them all.
   *
   * @param prefix empty, or a prefix that ends in {@code /}
   * @param each called for every object under the prefix, in no particular order, by the thread
   *     that lists
   * @throws StoreException if the store does not answer or refuses
   */
  void list(String prefix, Consumer<ListedObject> each) throws IOException;

  /**
   * Deletes objects; those that do not exist count as deleted.
   *
   * @param keys objects to delete, any number of them
   * @throws StoreException if one could not be deleted; others may have been
   */
  void delete(Collection<String> keys) throws IOException;

  /**
   * Names the service behind this store, and the store within it: its address, bucket and prefix. A
   * marker in the store tells that this service was probed, and not one that the objects were
   * copied from.
   *
   * @return the name, without credentials; empty if no service decides about conditional writes but
   *     this library itself, as in a local directory, so that there is nothing to find out in races
   */
  default Optional<String> service() {
    return Optional.of(location());
  }

  /**
   * Returns the service behind this store, for a probe that sends wrong checksums and finds out a
   * dialect of S3.
   *
   * @return the service; empty for a store that is no service of S3
   */
  default Optional<ProbedService> probedService() {
    return Optional.empty();
  }

  /**
   * Ends all pauses between attempts: from now on, each request is one attempt. For an owner that
   * is about to close the store.
   */
  default void endRetries() {}

  /**
   * Location of this store for messages, as an administrator writes it: {@code s3://bucket/prefix},
   * {@code file:DIR} or the URL of a provider.
   *
   * @return location without credentials
   */
  String location();

  /** Releases connections. Requests in flight fail. */
  @Override
  void close() throws IOException;
}
