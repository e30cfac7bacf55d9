// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.catalog;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;
import java.util.random.RandomGenerator.SplittableGenerator;
import org.eclipse.jgit.annotations.Nullable;
import org.jgits3.internal.commit.ConditionalWrite;
import org.jgits3.internal.commit.ManifestCommitter;
import org.jgits3.internal.commit.ManifestFile;
import org.jgits3.internal.commit.Pacing;
import org.jgits3.internal.commit.Proposal;
import org.jgits3.internal.commit.Ticker;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ManifestCodec;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.NamePointer;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.manifest.Refs;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.manifest.RepositorySettings;
import org.jgits3.manifest.RepositoryState;
import org.jgits3.manifest.UnknownOutcomeException;
import org.jgits3.manifest.VersionedManifest;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.ObjectVersion;
import org.jgits3.store.Precondition;
import org.jgits3.store.PutOutcome;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives one name to one repository: writes the pointer of the name, then a manifest that says the
 * name. The second write is the commit point; it is refused unless the manifest is still in the
 * epoch that the pointer says.
 *
 * <p>A pointer that another bind has left is judged by the manifest that it leads to. It is in use
 * if the manifest says the name, and dead if the manifest is in a later epoch. Otherwise the other
 * bind is under way, or was killed: after a second this one raises the epoch of that manifest, so
 * that the other one can no longer succeed, and takes the name. See the names RFC.
 *
 * <p>Used by one thread, once.
 */
final class Bind {
  private static final Logger LOG = LoggerFactory.getLogger(Bind.class);

  /** Time that a bind under way is given before it is fenced; half of the deadline if less. */
  static final Duration PATIENCE = Duration.ofSeconds(1);

  /** No id of a repository. */
  private static final String NO_REPOSITORY = "";

  private final ObjectStore store;
  private final RepositoryName name;
  private final Duration limit;
  private final Ticker ticker;
  private final Pacing pacing;
  private final SplittableGenerator random;
  private final PointerFile file;
  private final long deadline;
  private final long patience;

  /** Version of a pointer under way that was waited for. */
  private Optional<ObjectVersion> awaited = Optional.empty();

  Bind(
      ObjectStore store,
      RepositoryName name,
      Duration limit,
      Ticker ticker,
      SplittableGenerator random) {
    this.store = store;
    this.name = name;
    this.limit = limit;
    this.ticker = ticker;
    this.random = random;
    this.pacing = new Pacing(random.split());
    this.file = new PointerFile(store, name);
    this.deadline = ticker.nanoTime() + limit.toNanos();
    this.patience = Math.min(PATIENCE.toNanos(), limit.toNanos() / 2);
  }

  /**
   * Creates a repository with the name.
   *
   * @param first makes its first manifest, which says the name in epoch 1, from its id
   * @return its first manifest, or a later one if another process has changed it already
   * @throws ManifestException.Exists if the name is in use
   * @throws ManifestException.Gone if another process deleted it as soon as it was created
   * @throws ManifestException.NotCommitted if the deadline passed and nothing was created
   * @throws UnknownOutcomeException if the deadline passed first
   * @throws IOException if the store does not answer or refuses
   */
  VersionedManifest create(Function<String, Manifest> first) throws IOException {
    while (true) {
      String id = ObjectNames.random(16);
      Manifest manifest = first.apply(id);
      byte[] body = ManifestCodec.encode(manifest);
      takePointer(id, 0);
      ConditionalWrite write =
          new ConditionalWrite(store, ObjectNames.manifestKey(id), body, Precondition.absent());
      PutOutcome outcome = write.decide(ticker, pacing, deadline);
      if (outcome instanceof PutOutcome.Won won) {
        return new VersionedManifest(manifest, won.version());
      } else if (outcome instanceof PutOutcome.Unknown unknown) {
        throw write.attempts() == 0
            ? late(unknown)
            : unknown("not decided before the deadline: " + unknown.reason(), null);
      }
      Optional<VersionedManifest> found = readCreated(id);
      if (found.isEmpty()) {
        throw unknown("its manifest is missing after it was found to exist", null);
      } else if (found.get().manifest().holdsRepository()) {
        return found.get();
      } else if (found.get().manifest().generation() > 1) {
        throw new ManifestException.Gone(name + ": was deleted as soon as it was created");
      } // else another process has fenced it
    }
  }

  /** Reads a manifest that may have been written by an attempt whose answer was lost. */
  private Optional<VersionedManifest> readCreated(String id) throws UnknownOutcomeException {
    try {
      return ManifestFile.read(store, id);
    } catch (IOException e) {
      throw unknown("its manifest cannot be read: " + e.getMessage(), e);
    }
  }

  /**
   * Gives the name to an existing repository.
   *
   * @param repository manifest of the repository, which says the name that it has now or none
   * @return the epoch in which it got the name
   * @throws ManifestException.Exists if the name is in use
   * @throws ManifestException.Gone if the repository was deleted or renamed meanwhile
   * @throws ManifestException.NotCommitted if the deadline passed and the repository keeps its name
   * @throws UnknownOutcomeException if the deadline passed first
   * @throws IOException if the store does not answer or refuses
   */
  long commit(ManifestFile repository) throws IOException {
    ManifestCommitter committer = new ManifestCommitter(repository, limit, ticker, random.split());
    Manifest manifest = committer.validate().manifest();
    while (true) {
      if (manifest.name().isPresent()) {
        checkDistinct(manifest.name().get());
      }
      long epoch = manifest.epoch();
      takePointer(manifest.repositoryId(), epoch);
      boolean bound =
          committer.commit(
              base ->
                  base.epoch() == epoch
                      ? Proposal.edit(base.named(name), true)
                      : Proposal.noEdit(false));
      if (bound) {
        return epoch + 1;
      }
      manifest = committer.validate().manifest(); // fenced by another bind
    }
  }

  /**
   * Marks the name as free if no repository says it. What another bind has left there is fenced
   * before, as a bind of this name would do.
   *
   * @return true if it is free now and was not before
   * @throws ManifestException.NotCommitted if the deadline passed; another attempt may be made
   * @throws IOException if the pointer, or the manifest that it leads to, cannot be read
   */
  boolean release() throws IOException {
    Optional<PointerFile.Seen> seen = file.read();
    if (seen.flatMap(each -> each.pointer().target()).isEmpty()) {
      return false;
    }
    try {
      checkFree(seen.get(), NO_REPOSITORY);
    } catch (ManifestException.Exists used) {
      return false;
    }
    Optional<ObjectVersion> version = seen.map(PointerFile.Seen::version);
    PutOutcome outcome = file.replace(version, NamePointer.free(), ticker, pacing, deadline);
    if (outcome instanceof PutOutcome.Unknown unknown) {
      throw late(unknown);
    }
    return outcome instanceof PutOutcome.Won;
  }

  /** Makes the pointer lead to a repository in an epoch. */
  private void takePointer(String repositoryId, long epoch) throws IOException {
    Optional<ObjectVersion> before = Optional.empty();
    while (true) {
      NamePointer mine = NamePointer.to(repositoryId, epoch);
      PutOutcome outcome = file.replace(before, mine, ticker, pacing, deadline);
      if (outcome instanceof PutOutcome.Won) {
        return;
      } else if (outcome instanceof PutOutcome.Unknown unknown) {
        throw late(unknown);
      }
      if (before.isPresent()) {
        pause(pacing.afterLoss());
      }
      Optional<PointerFile.Seen> seen = file.read();
      if (seen.filter(each -> each.pointer().nonce().equals(mine.nonce())).isPresent()) {
        return; // written by an attempt whose answer was lost
      }
      if (seen.isPresent()) {
        checkFree(seen.get(), repositoryId);
      } else if (before.isEmpty()) { // no process deletes a pointer
        String what = ": is missing, and the store refuses to create it; delete its old versions";
        throw new ManifestException(file + what, null); // a repair reports it, and goes on
      }
      before = seen.map(PointerFile.Seen::version);
    }
  }

  /** Checks that a pointer may be replaced; fences the bind that has left it, if that is needed. */
  private void checkFree(PointerFile.Seen seen, String repositoryId) throws IOException {
    Optional<NamePointer.Target> target = seen.pointer().target();
    while (target.filter(to -> !to.repositoryId().equals(repositoryId)).isPresent()) {
      checkTime();
      NamePointer.Target to = target.get();
      Optional<VersionedManifest> found = ManifestFile.read(store, to.repositoryId());
      if (found.isPresent() && found.get().manifest().name().equals(Optional.of(name))) {
        throw new ManifestException.Exists(
            file + ": there is a repository " + name + " already; choose another name");
      }
      if (found.isPresent() && isLeft(to, found.get().manifest())) {
        if (found.get().manifest().name().isPresent()) {
          checkDistinct(found.get().manifest().name().get());
        }
        return;
      }
      if (!awaited.equals(Optional.of(seen.version()))) {
        awaited = Optional.of(seen.version());
        pause(patience);
      } else {
        fence(to, found);
      }
    }
  }

  /**
   * Refuses the name if its pointer is that of the name of a repository which is spelled alike: a
   * directory may ignore case.
   */
  private void checkDistinct(RepositoryName other) throws IOException {
    if (other.equals(name) || !other.pointerKey().equalsIgnoreCase(name.pointerKey())) {
      return;
    }
    Optional<String> nonce = file.read().map(seen -> seen.pointer().nonce());
    Optional<String> theirs =
        new PointerFile(store, other).read().map(seen -> seen.pointer().nonce());
    if (nonce.isPresent() && nonce.equals(theirs)) {
      throw new ManifestException.Exists(
          file
              + ": is the name of the repository "
              + other
              + " too, because the store ignores case;"
              + " choose another name");
    }
  }

  /** Tests whether a repository that says another name, or none, will not get the name any more. */
  private static boolean isLeft(NamePointer.Target to, Manifest manifest) {
    return manifest.epoch() > to.epoch() || !manifest.holdsRepository();
  }

  /** Raises the epoch of a repository, so that a bind in the present one fails. */
  private void fence(NamePointer.Target to, Optional<VersionedManifest> found) throws IOException {
    long next = to.epoch() + 1;
    if (found.isEmpty()) {
      Manifest never =
          Manifest.first(
              to.repositoryId(),
              new RepositoryState.Deleted(0),
              next,
              RepositorySettings.NONE,
              Refs.NONE);
      PutOutcome outcome =
          new ConditionalWrite(
                  store,
                  ObjectNames.manifestKey(to.repositoryId()),
                  ManifestCodec.encode(never),
                  Precondition.absent())
              .decide(ticker, pacing, deadline);
      LOG.debug("{} is fenced: {}", to.repositoryId(), outcome);
      return;
    }
    Manifest other = found.get().manifest();
    ManifestFile otherFile = new ManifestFile(store, to.repositoryId(), other.name());
    ManifestCommitter committer = new ManifestCommitter(otherFile, limit, ticker, random.split());
    try {
      committer.commit(
          base ->
              base.epoch() < next
                  ? Proposal.edit(base.fenced(next), true)
                  : Proposal.noEdit(false));
    } catch (ManifestException.Gone | ManifestException.NotCommitted | UnknownOutcomeException e) {
      LOG.debug("{} is looked at again", otherFile, e);
    } catch (ManifestException.TooLarge e) {
      throw new ManifestException(
          file
              + ": is being given to another repository, whose manifest is full: "
              + otherFile
              + "; collect or delete that, or choose another name",
          e);
    }
  }

  private ManifestException.NotCommitted late(PutOutcome.Unknown why) {
    return new ManifestException.NotCommitted(
        file
            + ": not decided before the deadline: "
            + why.reason()
            + "; nothing was changed, retry");
  }

  private UnknownOutcomeException unknown(String why, @Nullable Throwable cause) {
    return new UnknownOutcomeException(
        name + ": " + why + "; outcome unknown, look at the repository before retrying", cause);
  }

  private void pause(long nanos) throws ManifestException.NotCommitted {
    try {
      ticker.sleep(Math.max(0, Math.min(nanos, deadline - ticker.nanoTime())));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw late(new PutOutcome.Unknown("interrupted"));
    }
    checkTime();
  }

  private void checkTime() throws ManifestException.NotCommitted {
    if (ticker.nanoTime() - deadline >= 0) {
      throw late(new PutOutcome.Unknown("others use the name at each attempt"));
    }
  }
}
