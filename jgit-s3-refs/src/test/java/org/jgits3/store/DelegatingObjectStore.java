// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** A store that passes everything on, for subclasses that break one thing. */
public class DelegatingObjectStore implements ObjectStore {
  private final ObjectStore store;

  /**
   * Passes requests on.
   *
   * @param store where to
   */
  public DelegatingObjectStore(ObjectStore store) {
    this.store = store;
  }

  @Override
  public GetResult get(String key, Optional<ObjectVersion> known) throws IOException {
    return store.get(key, known);
  }

  @Override
  public ObjectVersion read(
      String key,
      long offset,
      byte[] dst,
      int dstOffset,
      int length,
      Optional<ObjectVersion> expected)
      throws IOException {
    return store.read(key, offset, dst, dstOffset, length, expected);
  }

  /** Tells the listener when all bytes are there, which a subclass may have changed until then. */
  @Override
  public ObjectVersion read(
      String key,
      long offset,
      byte[] dst,
      int dstOffset,
      int length,
      Optional<ObjectVersion> expected,
      ReadListener listener)
      throws IOException {
    ObjectVersion version = read(key, offset, dst, dstOffset, length, expected);
    listener.begins(version);
    listener.until(dstOffset + length);
    return version;
  }

  @Override
  public Optional<ObjectVersion> compare(
      String key, long offset, byte[] bytes, int bytesOffset, int length) throws IOException {
    return store.compare(key, offset, bytes, bytesOffset, length);
  }

  @Override
  public Optional<ObjectInfo> stat(String key) throws IOException {
    return store.stat(key);
  }

  @Override
  public PutOutcome putIf(String key, byte[] body, Precondition precondition) throws IOException {
    return store.putIf(key, body, precondition);
  }

  @Override
  public void put(String key, byte[] src, int offset, int length) throws IOException {
    store.put(key, src, offset, length);
  }

  @Override
  public MultipartUpload beginMultipart(String key, Map<String, String> metadata)
      throws IOException {
    return store.beginMultipart(key, metadata);
  }

  @Override
  public UploadedPart uploadPart(MultipartUpload upload, int number, PartBody body)
      throws IOException {
    return store.uploadPart(upload, number, body);
  }

  @Override
  public void completeMultipart(MultipartUpload upload, List<UploadedPart> parts)
      throws IOException {
    store.completeMultipart(upload, parts);
  }

  @Override
  public void abortMultipart(MultipartUpload upload) throws IOException {
    store.abortMultipart(upload);
  }

  @Override
  public List<MultipartUpload> listMultipart(String prefix) throws IOException {
    return store.listMultipart(prefix);
  }

  @Override
  public void list(String prefix, Consumer<ListedObject> each) throws IOException {
    store.list(prefix, each);
  }

  @Override
  public void delete(Collection<String> keys) throws IOException {
    store.delete(keys);
  }

  @Override
  public void endRetries() {
    store.endRetries();
  }

  @Override
  public Optional<ChecksumProbe> checksumProbe() {
    return store.checksumProbe();
  }

  @Override
  public String location() {
    return store.location();
  }

  @Override
  public void close() throws IOException {
    store.close();
  }
}
