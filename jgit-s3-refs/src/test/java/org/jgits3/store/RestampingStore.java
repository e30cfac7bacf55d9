// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A store whose versions say nothing of the bytes: the same bytes go by another version after each
 * {@link #restamp}, and a conditional write wants the newest.
 */
public final class RestampingStore extends DelegatingObjectStore {
  private final AtomicInteger stamp = new AtomicInteger();

  /**
   * Stamps versions.
   *
   * @param store where the objects are
   */
  public RestampingStore(ObjectStore store) {
    super(store);
  }

  /** Changes the versions of all objects. */
  public void restamp() {
    stamp.incrementAndGet();
  }

  private ObjectVersion stamped(ObjectVersion version) {
    return new ObjectVersion(version.value() + "#" + stamp);
  }

  /** The version below; empty if the stamp is not the newest. */
  private Optional<ObjectVersion> unstamped(ObjectVersion version) {
    String suffix = "#" + stamp;
    String value = version.value();
    return value.endsWith(suffix)
        ? Optional.of(new ObjectVersion(value.substring(0, value.length() - suffix.length())))
        : Optional.empty();
  }

  @Override
  public GetResult get(String key, Optional<ObjectVersion> known) throws IOException {
    GetResult result = super.get(key, known.flatMap(this::unstamped));
    return result instanceof GetResult.Found found
        ? new GetResult.Found(found.bytes(), stamped(found.version()))
        : result;
  }

  @Override
  public PutOutcome putIf(String key, byte[] body, Precondition precondition) throws IOException {
    Precondition below = precondition;
    if (precondition instanceof Precondition.Matches matches) {
      Optional<ObjectVersion> version = unstamped(matches.version());
      if (version.isEmpty()) {
        return new PutOutcome.Lost();
      }
      below = Precondition.matches(version.get());
    }
    PutOutcome outcome = super.putIf(key, body, below);
    return outcome instanceof PutOutcome.Won won
        ? new PutOutcome.Won(stamped(won.version()))
        : outcome;
  }
}
