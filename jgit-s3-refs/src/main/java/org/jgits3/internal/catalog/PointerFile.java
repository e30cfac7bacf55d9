// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.catalog;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import org.jgits3.internal.commit.ConditionalWrite;
import org.jgits3.internal.commit.Pacing;
import org.jgits3.internal.commit.Ticker;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.NamePointer;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.store.GetResult;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.ObjectVersion;
import org.jgits3.store.Precondition;
import org.jgits3.store.PutOutcome;

/** The stored pointer of one name. */
final class PointerFile {
  /** Time for which {@link #tidy} repeats its requests: nothing depends on it. */
  private static final Duration BRIEFLY = Duration.ofSeconds(1);

  private final ObjectStore store;
  private final String key;

  PointerFile(ObjectStore store, RepositoryName name) {
    this.store = store;
    this.key = name.pointerKey();
  }

  /**
   * A pointer and the version of its object.
   *
   * @param pointer the pointer
   * @param version version in the store
   */
  record Seen(NamePointer pointer, ObjectVersion version) {}

  /** Name for messages. */
  @Override
  public String toString() {
    return store.location() + "/" + key;
  }

  /**
   * Reads it: one GET.
   *
   * @return the pointer; empty if the name was never used
   * @throws IOException if it cannot be read or is damaged
   */
  Optional<Seen> read() throws IOException {
    return seen(store.get(key, Optional.empty()));
  }

  private Optional<Seen> seen(GetResult answer) throws IOException {
    return answer instanceof GetResult.Found found
        ? Optional.of(new Seen(NamePointer.decode(toString(), found.bytes()), found.version()))
        : Optional.empty();
  }

  /**
   * Replaces it, and repeats that until it is answered.
   *
   * @param before version to replace; empty to create it
   * @param next pointer to write
   * @return the answer; unknown if there was none in time
   * @throws IOException if the store refuses the request
   */
  PutOutcome replace(
      Optional<ObjectVersion> before, NamePointer next, Ticker ticker, Pacing pacing, long deadline)
      throws IOException {
    return write(before, next).decide(ticker, pacing, deadline);
  }

  private ConditionalWrite write(Optional<ObjectVersion> before, NamePointer next)
      throws IOException {
    Precondition condition = before.map(Precondition::matches).orElseGet(Precondition::absent);
    return new ConditionalWrite(store, key, next.encode(), condition);
  }

  /**
   * Marks the name as free if it leads to a repository that has left it for good. It is one
   * attempt: the name can be taken without it.
   *
   * @param repositoryId the repository
   * @param epoch its epoch now, in which it does not have the name
   * @throws IOException if it cannot be read
   */
  void tidy(String repositoryId, long epoch) throws IOException {
    Optional<Seen> found = seen(store.get(key, Optional.empty(), BRIEFLY));
    boolean dead =
        found
            .flatMap(seen -> seen.pointer().target())
            .filter(to -> to.repositoryId().equals(repositoryId) && to.epoch() < epoch)
            .isPresent();
    if (dead) {
      write(found.map(Seen::version), NamePointer.free()).attempt();
    }
  }

  /**
   * Replaces a damaged pointer by a free marker; false if it is not damaged, or was replaced. One
   * of a newer format is not damaged.
   */
  boolean freeDamaged() throws IOException {
    if (!(store.get(key, Optional.empty()) instanceof GetResult.Found found)) {
      return false;
    }
    try {
      NamePointer.decode(toString(), found.bytes());
      return false;
    } catch (ManifestException.Unsupported newer) {
      return false;
    } catch (ManifestException.Corrupt damaged) {
      return write(Optional.of(found.version()), NamePointer.free()).attempt()
          instanceof PutOutcome.Won;
    }
  }
}
