// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.commit;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ManifestCodec;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.store.GetResult;
import org.jgits3.store.ListedObject;
import org.jgits3.store.MultipartUpload;
import org.jgits3.store.ObjectInfo;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.ObjectVersion;
import org.jgits3.store.PartBody;
import org.jgits3.store.Precondition;
import org.jgits3.store.PutOutcome;
import org.jgits3.store.ReadRequest;
import org.jgits3.store.UploadedPart;

/**
 * A store in memory whose conditional writes and reads are decided by a script: when each is
 * applied, how often, and what is answered. Requests beyond the script are served at once.
 *
 * <p>Versions are content hashes, as on most servers, so that equal bytes have equal versions.
 */
public final class ScriptedStore implements ObjectStore {
  public static final PutOutcome NO_ANSWER = new PutOutcome.Unknown("scripted: no answer");

  private final Map<String, byte[]> objects = new TreeMap<>(); // guarded by this
  private final Queue<PutScript> putScripts = new ArrayDeque<>(); // guarded by this
  private final Queue<GetScript> getScripts = new ArrayDeque<>(); // guarded by this
  private final List<PutRequest> puts = new ArrayList<>(); // guarded by this
  private PutScript everyPut = PutRequest::apply; // guarded by this
  private GetScript everyGet = GetRequest::read; // guarded by this
  private Consumer<PutRequest> applied = request -> {}; // guarded by this
  private int gets; // guarded by this

  /** Script of one conditional write. */
  public interface PutScript {
    PutOutcome answer(PutRequest request) throws IOException;
  }

  /** Script of one read. */
  public interface GetScript {
    GetResult answer(GetRequest request) throws IOException;
  }

  /** One conditional write, which can be applied now, later, several times or never. */
  public final class PutRequest {
    final String key;
    final byte[] body;
    final Precondition precondition;

    private PutRequest(String key, byte[] body, Precondition precondition) {
      this.key = key;
      this.body = body.clone();
      this.precondition = precondition;
    }

    public PutOutcome apply() {
      return applyPut(this);
    }

    /** The manifest that it writes; empty if it writes the pointer of a name. */
    public Optional<Manifest> manifest() {
      if (ObjectNames.repositoryIdOfManifest(key).isEmpty()) {
        return Optional.empty();
      }
      try {
        return Optional.of(ManifestCodec.decode(key, body));
      } catch (ManifestException e) {
        throw new AssertionError(e);
      }
    }
  }

  /** One read, which can be answered from the state of any moment. */
  public final class GetRequest {
    final String key;
    private final Optional<ObjectVersion> known;
    final Duration limit;

    private GetRequest(String key, Optional<ObjectVersion> known, Duration limit) {
      this.key = key;
      this.known = known;
      this.limit = limit;
    }

    public GetResult read() {
      return serveGet(this);
    }
  }

  /** Decides the next write that no earlier script decides. */
  public synchronized void nextPut(PutScript script) {
    putScripts.add(script);
  }

  /** Decides the next read that no earlier script decides. */
  public synchronized void nextGet(GetScript script) {
    getScripts.add(script);
  }

  /** Decides all writes that are not scripted one by one. */
  public synchronized void everyPut(PutScript script) {
    everyPut = script;
  }

  /** Decides all reads that are not scripted one by one. */
  public synchronized void everyGet(GetScript script) {
    everyGet = script;
  }

  /** Calls a listener for every write that is applied, late ones included. */
  public synchronized void onApplied(Consumer<PutRequest> listener) {
    applied = listener;
  }

  /** Conditional writes received so far. */
  public synchronized List<PutRequest> puts() {
    return List.copyOf(puts);
  }

  /** Reads received so far. */
  public synchronized int gets() {
    return gets;
  }

  /** Bytes of an object that exists. */
  public synchronized byte[] bytes(String key) {
    return objects.get(key).clone();
  }

  /** Writes an object directly. */
  public synchronized void overwrite(String key, byte[] bytes) {
    objects.put(key, bytes.clone());
  }

  @Override
  public PutOutcome putIf(String key, byte[] body, Precondition precondition) throws IOException {
    PutRequest request = new PutRequest(key, body, precondition);
    PutScript script;
    synchronized (this) {
      puts.add(request);
      script = putScripts.isEmpty() ? everyPut : putScripts.remove();
    }
    return script.answer(request);
  }

  @Override
  public GetResult get(String key, Optional<ObjectVersion> known, Duration limit)
      throws IOException {
    GetRequest request = new GetRequest(key, known, limit);
    GetScript script;
    synchronized (this) {
      gets++;
      script = getScripts.isEmpty() ? everyGet : getScripts.remove();
    }
    return script.answer(request);
  }

  private synchronized PutOutcome applyPut(PutRequest request) {
    byte[] current = objects.get(request.key);
    if (request.precondition instanceof Precondition.Matches matches) {
      if (current == null || !version(current).equals(matches.version())) {
        return new PutOutcome.Lost(current == null);
      }
    } else if (current != null) {
      return new PutOutcome.Lost(false);
    }
    objects.put(request.key, request.body);
    applied.accept(request);
    return new PutOutcome.Won(version(request.body));
  }

  private synchronized GetResult serveGet(GetRequest request) {
    byte[] current = objects.get(request.key);
    if (current == null) {
      return new GetResult.Missing();
    }
    ObjectVersion version = version(current);
    return request.known.isPresent() && request.known.get().equals(version)
        ? new GetResult.NotModified()
        : new GetResult.Found(current.clone(), version);
  }

  /** A version that follows from the bytes, and takes less time than that of a real store. */
  private static ObjectVersion version(byte[] bytes) {
    CRC32 one = new CRC32();
    one.update(bytes);
    CRC32C other = new CRC32C();
    other.update(bytes);
    return new ObjectVersion(Long.toHexString(one.getValue() << 32 | other.getValue()));
  }

  @Override
  public synchronized void list(String prefix, Consumer<ListedObject> each) {
    objects.forEach(
        (key, bytes) -> {
          if (key.startsWith(prefix)) {
            each.accept(new ListedObject(key, bytes.length, Optional.of(version(bytes))));
          }
        });
  }

  @Override
  public synchronized void delete(Collection<String> keys) {
    keys.forEach(objects::remove);
  }

  @Override
  public String location() {
    return "memory:";
  }

  @Override
  public void close() {}

  @Override
  public boolean compare(ReadRequest held) {
    throw new UnsupportedOperationException(held.key());
  }

  @Override
  public ObjectVersion read(ReadRequest range) {
    throw new UnsupportedOperationException(range.key());
  }

  @Override
  public Optional<ObjectInfo> stat(String key) {
    throw new UnsupportedOperationException(key);
  }

  @Override
  public synchronized void put(String key, byte[] src, int offset, int length) {
    objects.put(key, Arrays.copyOfRange(src, offset, offset + length));
  }

  @Override
  public MultipartUpload beginMultipart(String key, Map<String, String> metadata) {
    throw new UnsupportedOperationException(key);
  }

  @Override
  public UploadedPart uploadPart(MultipartUpload upload, int number, PartBody body) {
    throw new UnsupportedOperationException(upload.toString());
  }

  @Override
  public void completeMultipart(MultipartUpload upload, List<UploadedPart> parts) {
    throw new UnsupportedOperationException(upload.toString());
  }

  @Override
  public void abortMultipart(MultipartUpload upload) {
    throw new UnsupportedOperationException(upload.toString());
  }

  @Override
  public List<MultipartUpload> listMultipart(String prefix) {
    throw new UnsupportedOperationException(prefix);
  }
}
