// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.commit;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.function.Consumer;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import org.jgits3.internal.function.IoRunnable;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ManifestCodec;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.store.GetResult;
import org.jgits3.store.MemoryObjectStore;
import org.jgits3.store.ObjectVersion;
import org.jgits3.store.Precondition;
import org.jgits3.store.PutOutcome;
import org.jgits3.store.StoreException;

/**
 * A store in memory whose conditional writes and reads are decided by a script: when each is
 * applied, how often, and what is answered. Requests beyond the script are served at once.
 *
 * <p>Versions are content hashes, as on most servers, so that equal bytes have equal versions.
 */
public final class ScriptedStore extends MemoryObjectStore {
  public static final PutOutcome NO_ANSWER = new PutOutcome.Unknown("scripted: no answer");
  public static final PutOutcome REFUSED = new PutOutcome.Lost();

  /** A read that the store does not answer. */
  public static final GetScript UNREADABLE =
      get -> {
        throw new StoreException.Unavailable(get.key, "away", null);
      };

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
      return answer(find("GET", key), known);
    }
  }

  /** Decides the next write that no earlier script decides. */
  public synchronized void nextPut(PutScript script) {
    putScripts.add(script);
  }

  /** Applies the next write, lets others act, and loses the answer. */
  public void loseAnswerAfter(IoRunnable others) {
    nextPut(
        put -> {
          put.apply();
          others.run();
          return NO_ANSWER;
        });
  }

  /** Applies the next write and loses the answer. */
  public void loseAnswer() {
    loseAnswerAfter(() -> {});
  }

  /** Lets others act before the next write arrives. */
  public void applyAfter(IoRunnable others) {
    nextPut(
        put -> {
          others.run();
          return put.apply();
        });
  }

  /** Applies the next write, lets others act, and answers to a copy of it that arrives then. */
  public void applyTwiceAround(IoRunnable others) {
    nextPut(
        put -> {
          put.apply();
          others.run();
          return put.apply();
        });
  }

  /** Lets others act, and refuses the next write. */
  public void refuseAfter(IoRunnable others) {
    nextPut(
        put -> {
          others.run();
          return REFUSED;
        });
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
  public byte[] bytes(String key) {
    return find("GET", key).bytes().clone();
  }

  /** Writes an object directly. */
  public void overwrite(String key, byte[] bytes) {
    put(key, bytes, 0, bytes.length);
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
    PutOutcome outcome = write(request.key, request.body, request.precondition);
    if (outcome instanceof PutOutcome.Won) {
      applied.accept(request);
    }
    return outcome;
  }

  /** A version that follows from the bytes, and takes less time than that of a real store. */
  @Override
  protected ObjectVersion version(byte[] bytes) {
    CRC32 one = new CRC32();
    one.update(bytes);
    CRC32C other = new CRC32C();
    other.update(bytes);
    return new ObjectVersion(Long.toHexString(one.getValue() << 32 | other.getValue()));
  }
}
