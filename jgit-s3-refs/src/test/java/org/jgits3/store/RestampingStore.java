// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A store whose validators say nothing of the bytes: the same bytes go by another validator after
 * each {@link #restamp}, and a conditional write wants the newest.
 */
public final class RestampingStore extends DelegatingObjectStore {
  private final AtomicInteger stamp = new AtomicInteger();

  /**
   * Stamps validators.
   *
   * @param store where the objects are
   */
  public RestampingStore(ObjectStore store) {
    super(store);
  }

  /** Changes the validators of all objects. */
  public void restamp() {
    stamp.incrementAndGet();
  }

  private Validator stamped(Validator validator) {
    return new Validator(validator.value() + "#" + stamp);
  }

  /** The validator below; empty if the stamp is not the newest. */
  private Optional<Validator> unstamped(Validator validator) {
    String suffix = "#" + stamp;
    String value = validator.value();
    return value.endsWith(suffix)
        ? Optional.of(new Validator(value.substring(0, value.length() - suffix.length())))
        : Optional.empty();
  }

  @Override
  public GetResult get(String key, Optional<Validator> known) throws IOException {
    GetResult result = super.get(key, known.flatMap(this::unstamped));
    return result instanceof GetResult.Found found
        ? new GetResult.Found(found.bytes(), stamped(found.validator()))
        : result;
  }

  @Override
  public PutOutcome putIf(String key, byte[] body, Precondition precondition) throws IOException {
    Precondition below = precondition;
    if (precondition instanceof Precondition.Matches matches) {
      Optional<Validator> validator = unstamped(matches.validator());
      if (validator.isEmpty()) {
        return new PutOutcome.Lost(false);
      }
      below = Precondition.matches(validator.get());
    }
    PutOutcome outcome = super.putIf(key, body, below);
    return outcome instanceof PutOutcome.Won won
        ? new PutOutcome.Won(stamped(won.validator()))
        : outcome;
  }
}
