// SPDX-License-Identifier: Apache-2.0
package org.jgits3.manifest;

import java.io.IOException;
import java.util.Optional;
import org.jgits3.store.GetResult;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.Precondition;
import org.jgits3.store.Validator;

/** The stored manifest of one name. */
final class ManifestFile {
  private final ObjectStore store;
  private final String key;
  private final String where;

  ManifestFile(ObjectStore store, RepositoryName name) {
    this.store = store;
    this.key = name.manifestKey();
    this.where = "manifest " + store.location() + "/" + key;
  }

  /** What to call it in messages. */
  @Override
  public String toString() {
    return where;
  }

  /** Reads it: one GET. Empty if there is none. */
  Optional<VersionedManifest> read() throws IOException {
    GetResult answer = get(Optional.empty());
    return answer instanceof GetResult.Found found ? Optional.of(decode(found)) : Optional.empty();
  }

  /**
   * Reads it unless it is still the one known: one conditional GET.
   *
   * @param known manifest read or written before
   * @return {@code known} itself if nothing changed; empty if there is none
   * @throws ManifestException.Corrupt if it went back to an earlier generation of the same life
   */
  Optional<VersionedManifest> refresh(VersionedManifest known) throws IOException {
    GetResult answer = get(Optional.of(known.validator()));
    if (answer instanceof GetResult.NotModified) {
      return Optional.of(known);
    }
    if (!(answer instanceof GetResult.Found found)) {
      return Optional.empty();
    }
    VersionedManifest seen = decode(found);
    Manifest before = known.manifest();
    Manifest after = seen.manifest();
    boolean sameLife = after.repositoryId().equals(before.repositoryId());
    boolean same =
        after.generation() == before.generation() && after.nonce().equals(before.nonce());
    if (sameLife && !same && after.generation() <= before.generation()) {
      throw new ManifestException.Corrupt(
          where
              + ": went from generation "
              + before.generation()
              + " back to "
              + after.generation()
              + "; a stale cache on the path, or old bytes put back by hand",
          null);
    }
    return Optional.of(seen);
  }

  /** A write of it that is decided by as many attempts as that takes. */
  ConditionalWrite write(byte[] body, Precondition precondition) {
    return new ConditionalWrite(store, key, body, precondition);
  }

  /** Refuses to write a manifest that requires what this code does not know. */
  void checkWritable(Manifest manifest) throws ManifestException {
    if (!manifest.writable()) {
      throw new ManifestException.Unsupported(
          where + ": requires " + manifest.requires() + " of a writer; use a newer version");
    }
  }

  /** The exception for a manifest that does not stand for an active repository. */
  ManifestException.Gone gone(Optional<RepositoryState> state) {
    return new ManifestException.Gone(where + ": " + describe(state));
  }

  private static String describe(Optional<RepositoryState> state) {
    if (state.isEmpty()) {
      return "no such repository";
    } else if (state.get() instanceof RepositoryState.Moved moved) {
      return "the repository was renamed to " + moved.to();
    } else if (state.get() instanceof RepositoryState.Moving moving) {
      return "the repository is being renamed to "
          + moving.to()
          + "; repeat the rename if it was interrupted";
    } else if (state.get() instanceof RepositoryState.Reserved reserved) {
      return "the name is kept for "
          + reserved.from()
          + ", which is being renamed to it; repeat the rename if it was interrupted";
    } else if (state.get() instanceof RepositoryState.Deleted) {
      return "the repository was deleted";
    }
    return "the repository was deleted, and another one created under its name";
  }

  /** One GET, which an interrupt does not fail, since others may wait for its answer as well. */
  private GetResult get(Optional<Validator> known) throws IOException {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return store.get(key, known);
        } catch (IOException e) {
          if (!Thread.interrupted()) {
            throw e;
          }
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private VersionedManifest decode(GetResult.Found found) throws ManifestException {
    return new VersionedManifest(ManifestCodec.decode(where, found.bytes()), found.validator());
  }
}
