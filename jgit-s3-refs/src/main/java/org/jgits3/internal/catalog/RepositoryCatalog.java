// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.catalog;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.random.RandomGenerator.SplittableGenerator;
import org.eclipse.jgit.util.SystemReader;
import org.jgits3.internal.commit.ConditionalWrite;
import org.jgits3.internal.commit.ManifestCommitter;
import org.jgits3.internal.commit.ManifestFile;
import org.jgits3.internal.commit.Pacing;
import org.jgits3.internal.commit.Proposal;
import org.jgits3.internal.commit.Ticker;
import org.jgits3.internal.function.IoConsumer;
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
import org.jgits3.metrics.Counters;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.Precondition;
import org.jgits3.store.PutOutcome;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates, finds, lists, renames and deletes repositories: which repository a name stands for.
 *
 * <p>A name has a pointer to the id of a repository, and the repository's manifest says its name.
 * The name stands for the repository if both agree. Neither object is ever removed from the store:
 * a free marker or a tombstone takes its place, because a late copy of an earlier write would
 * otherwise bring it back.
 *
 * <p>Safe for use by many threads and processes.
 */
public final class RepositoryCatalog {
  private static final Logger LOG = LoggerFactory.getLogger(RepositoryCatalog.class);

  private static final int ID_BYTES = 16;

  private final ObjectStore store;
  private final Duration limit;
  private final Ticker ticker;
  private final SplittableGenerator random;

  /**
   * The names of one store.
   *
   * @param store where the manifests are
   * @param limit time that a change of a name is given
   */
  public RepositoryCatalog(ObjectStore store, Duration limit) {
    this(store, limit, Ticker.SYSTEM, new SplittableRandom());
  }

  /** Creates a catalog with the clock and the randomness of a test. */
  public RepositoryCatalog(
      ObjectStore store, Duration limit, Ticker ticker, SplittableGenerator random) {
    this.store = store;
    this.limit = limit;
    this.ticker = ticker;
    this.random = random;
  }

  /**
   * Creates a repository under a name that stands for none.
   *
   * @param name its name
   * @param settings configuration to begin with
   * @param refs refs to begin with, {@code HEAD} among the symbolic ones
   * @return its first manifest, or a later one if another process has changed it already
   * @throws ManifestException.Exists if there is one already
   * @throws ManifestException.Gone if another process deleted it as soon as it was created
   * @throws UnknownOutcomeException if the deadline passed first
   * @throws IOException if the store does not answer or refuses
   */
  public VersionedManifest create(RepositoryName name, RepositorySettings settings, Refs refs)
      throws IOException {
    RepositoryState state = new RepositoryState.Active(name);
    return bind(name).create(id -> Manifest.first(id, state, 1, settings, refs));
  }

  /**
   * Creates a fork of a template under a name that stands for no repository. Then looks whether the
   * template still has its name, and deletes the fork again if not: the caller may have known the
   * template for long, and its name may stand for another one by now.
   *
   * @param name its name
   * @param template manifest of the template
   * @param trusted whether its version tells that it has not changed
   * @return its first manifest, or a later one if another process has changed it already
   * @throws ManifestException.Gone if the template was deleted or renamed meanwhile; there is no
   *     fork then
   * @throws UnknownOutcomeException if it is not known whether the fork was created, or whether its
   *     template still existed afterwards
   * @throws IOException as {@link #create}
   */
  public VersionedManifest fork(RepositoryName name, VersionedManifest template, boolean trusted)
      throws IOException {
    Manifest known = template.manifest();
    ManifestFile file =
        new ManifestFile(store, known.name(), known.repositoryId(), trusted, new Counters());
    VersionedManifest fork = bind(name).create(id -> known.fork(id, name));
    Optional<VersionedManifest> found;
    try {
      found = file.readAgain(template); // after the write: a sweep looks for forks later
    } catch (IOException e) {
      throw new UnknownOutcomeException(e.getMessage(), e);
    }
    if (found.filter(each -> each.manifest().name().equals(known.name())).isPresent()) {
      return fork;
    }
    deleteUnmade(fork.manifest());
    throw new ManifestException.Gone(
        "the template of " + name + " was deleted or renamed meanwhile; there is no fork");
  }

  /**
   * Deletes a fork whose template was deleted or renamed before it was made, unless others have
   * changed it.
   */
  private void deleteUnmade(Manifest fork) throws UnknownOutcomeException {
    String id = fork.repositoryId();
    RepositoryName name = fork.name().orElseThrow();
    try {
      ManifestFile file = new ManifestFile(store, id, Optional.of(name));
      long epoch =
          delete(
              file,
              found -> {},
              found -> {
                if (!found.nonce().equals(fork.nonce())) {
                  throw new ManifestException("others have changed it", null);
                }
              });
      tidy(name, id, epoch);
    } catch (IOException e) {
      if (!isDeleted(id)) {
        throw new UnknownOutcomeException(
            "its template was deleted or renamed, and the fork could not be deleted: "
                + e.getMessage(),
            e);
      }
    }
  }

  private boolean isDeleted(String id) {
    try {
      return ManifestFile.read(store, id)
          .filter(found -> !found.manifest().holdsRepository())
          .isPresent();
    } catch (IOException e) {
      LOG.debug("{} cannot be read", id, e);
      return false;
    }
  }

  /**
   * Creates a repository without a name, for an import to fill.
   *
   * @param template true if it is to become a template
   * @param settings configuration to begin with
   * @param refs refs to begin with, {@code HEAD} among the symbolic ones
   * @return its first manifest
   * @throws UnknownOutcomeException if the deadline passed first; nothing leads to the repository
   *     then, and a sweep deletes it
   * @throws IOException if the store does not answer or refuses
   */
  public VersionedManifest createImport(boolean template, RepositorySettings settings, Refs refs)
      throws IOException {
    String id = ObjectNames.random(ID_BYTES);
    Manifest first =
        Manifest.first(id, new RepositoryState.Importing(now()), 0, settings, refs)
            .withTemplate(template ? Optional.of(new Manifest.Template(id, 0)) : Optional.empty());
    String key = ObjectNames.manifestKey(id);
    PutOutcome outcome =
        new ConditionalWrite(store, key, ManifestCodec.encode(first), Precondition.absent())
            .decide(ticker, new Pacing(random.split()), ticker.nanoTime() + limit.toNanos());
    if (outcome instanceof PutOutcome.Won won) {
      return new VersionedManifest(first, won.version());
    } else if (outcome instanceof PutOutcome.Unknown unknown) {
      throw new UnknownOutcomeException(
          store.location() + "/" + key + ": not created: " + unknown.reason(), null);
    }
    return ManifestFile.read(store, id)
        .orElseThrow(
            () -> new ManifestException.Gone(key + ": vanished as soon as it was created"));
  }

  /**
   * Gives a name to the repository of an import.
   *
   * @param repositoryId the repository
   * @param name name that stands for none
   * @throws ManifestException.Exists if there is a repository of that name; the import stays
   * @throws ManifestException.Gone if the repository of the import was deleted meanwhile
   * @throws UnknownOutcomeException if the deadline passed first
   * @throws IOException if the store does not answer or refuses
   */
  public void publish(String repositoryId, RepositoryName name) throws IOException {
    bind(name).commit(new ManifestFile(store, repositoryId, Optional.empty()));
  }

  /**
   * Deletes the repository of an import that has no name yet.
   *
   * @param repositoryId the repository
   * @throws ManifestException.Gone if it was deleted already, or has a name
   * @throws IOException if the store does not answer or refuses
   */
  public void deleteImport(String repositoryId) throws IOException {
    delete(new ManifestFile(store, repositoryId, Optional.empty()), any -> {}, any -> {});
  }

  /**
   * Renames a repository. It can be read at every moment, by one name or the other.
   *
   * @param known id of the repository that had the name when the caller asked last; empty to look
   *     it up
   * @param from its name
   * @param to name it will have
   * @return id of the repository
   * @throws ManifestException.Gone if there is no repository {@code from}
   * @throws ManifestException.Exists if there is one called {@code to}
   * @throws ManifestException.NotCommitted if the deadline passed and it still has its name
   * @throws UnknownOutcomeException if the deadline passed first
   * @throws IOException if the store does not answer or refuses
   */
  public String rename(Optional<String> known, RepositoryName from, RepositoryName to)
      throws IOException {
    return withId(known, from, id -> rename(id, from, to));
  }

  /**
   * As {@link #rename(Optional, RepositoryName, RepositoryName)}, for a repository that the name
   * may not lead to, as in a copy of the store.
   *
   * @param repositoryId id of the repository
   * @param from the name that its manifest says
   * @param to name it will have
   * @throws IOException as {@link #rename(Optional, RepositoryName, RepositoryName)}
   */
  public void rename(String repositoryId, RepositoryName from, RepositoryName to)
      throws IOException {
    ManifestFile file = new ManifestFile(store, repositoryId, Optional.of(from));
    if (from.equals(to)) {
      throw new ManifestException.Exists(file + ": has this name already; choose another name");
    }
    tidy(from, repositoryId, bind(to).commit(file));
  }

  /**
   * Does something with the repository of a name: the known one if it still has the name, or else
   * the one that the name leads to.
   */
  private String withId(Optional<String> known, RepositoryName name, IoConsumer<String> action)
      throws IOException {
    if (known.isPresent()) {
      try {
        action.accept(known.get());
        return known.get();
      } catch (ManifestException.Gone e) {
        LOG.debug("{} is not repository {} any more", name, known.get(), e);
      }
    }
    String found =
        find(name).orElseThrow(() -> new ManifestException.Gone(name + ": no such repository"));
    action.accept(found);
    return found;
  }

  /**
   * Makes the pointer of a name lead to the repository that says the name, after a copy of the
   * store. Replaces a damaged pointer.
   *
   * @param repositoryId id of the repository
   * @param name the name that its manifest says
   * @throws ManifestException.Exists if another repository has the name
   * @throws ManifestException.Gone if the manifest no longer says the name
   * @throws IOException as {@link #rename}
   */
  public void repair(String repositoryId, RepositoryName name) throws IOException {
    free(name);
    bind(name).commit(new ManifestFile(store, repositoryId, Optional.of(name)));
  }

  private Bind bind(RepositoryName name) {
    return new Bind(store, name, limit, ticker, random);
  }

  /**
   * Finds the repository that a name leads to. Costs one GET.
   *
   * @param name name to look up
   * @return id of the repository, which has the name if its manifest says so; empty if the name is
   *     free
   * @throws IOException if the pointer cannot be read
   */
  public Optional<String> find(RepositoryName name) throws IOException {
    return new PointerFile(store, name)
        .read()
        .flatMap(seen -> seen.pointer().target())
        .map(NamePointer.Target::repositoryId);
  }

  /**
   * Lists the names of repositories without reading their manifests. It has each name that stands
   * for a repository during the whole listing, and may have one that a repository has just left.
   *
   * @param each called for every name, in no particular order
   * @throws IOException if the store does not answer or refuses
   */
  public void list(Consumer<RepositoryName> each) throws IOException {
    listUnder(RepositoryName.PREFIX, each);
  }

  /**
   * Lists the names of repositories that begin with a text.
   *
   * @param start the text; the listing is that of the groups before its last slash
   * @param each called for every such name, in no particular order
   * @throws IOException if the store does not answer or refuses
   */
  public void list(String start, Consumer<RepositoryName> each) throws IOException {
    int slash = start.lastIndexOf('/');
    listUnder(
        slash < 0
            ? RepositoryName.PREFIX
            : new RepositoryName(start.substring(0, slash)).groupKey(),
        name -> {
          if (name.value().startsWith(start)) {
            each.accept(name);
          }
        });
  }

  private void listUnder(String prefix, Consumer<RepositoryName> each) throws IOException {
    store.list(
        prefix,
        object -> {
          if (object.size() >= NamePointer.LEAST_BYTES) {
            RepositoryName.fromPointerKey(object.key()).ifPresent(each);
          }
        });
  }

  /**
   * Lists all names, free ones included.
   *
   * @param each called for every name, in no particular order
   * @throws IOException if the store does not answer or refuses
   */
  public void listAll(Consumer<RepositoryName> each) throws IOException {
    store.list(
        RepositoryName.PREFIX,
        object -> RepositoryName.fromPointerKey(object.key()).ifPresent(each));
  }

  /**
   * Replaces a damaged pointer by a free marker, if it is still as it was.
   *
   * @param name the name
   * @return true if it was replaced
   * @throws IOException if the store does not answer or refuses
   */
  public boolean free(RepositoryName name) throws IOException {
    return new PointerFile(store, name).freeDamaged();
  }

  /**
   * Deletes a repository, unless a check fails: turns its manifest into a tombstone. Its objects
   * are swept later.
   *
   * @param known id of the repository that had the name when the caller asked last; empty to look
   *     it up
   * @param name its name
   * @param check called once with its manifest, before the deadline begins; throws to refuse
   * @return id of the repository
   * @throws ManifestException.Gone if there is no such repository
   * @throws UnknownOutcomeException if the deadline passed first
   * @throws IOException if the store does not answer or refuses, or thrown by the check
   */
  public String delete(Optional<String> known, RepositoryName name, IoConsumer<Manifest> check)
      throws IOException {
    return withId(known, name, id -> delete(id, name, check));
  }

  /**
   * As {@link #delete(Optional, RepositoryName, IoConsumer)}, for a repository that the name may
   * not lead to, as in a copy of the store.
   *
   * @param repositoryId id of the repository
   * @param name the name that its manifest says
   * @param check called once with its manifest; throws to refuse
   * @throws IOException as {@link #delete(Optional, RepositoryName, IoConsumer)}
   */
  public void delete(String repositoryId, RepositoryName name, IoConsumer<Manifest> check)
      throws IOException {
    ManifestFile file = new ManifestFile(store, repositoryId, Optional.of(name));
    tidy(name, repositoryId, delete(file, check, base -> {}));
  }

  /**
   * Deletes a repository.
   *
   * @param first called once, before the deadline begins
   * @param always called with each manifest that the tombstone is to replace, without requests
   * @return epoch of the tombstone
   */
  private long delete(ManifestFile file, IoConsumer<Manifest> first, IoConsumer<Manifest> always)
      throws IOException {
    ManifestCommitter committer = new ManifestCommitter(file, limit, ticker, random.split());
    first.accept(committer.validate().manifest());
    return committer.commit(
        base -> {
          always.accept(base);
          Manifest tombstone = base.deleted(now());
          return Proposal.edit(tombstone, tombstone.epoch());
        });
  }

  /**
   * Marks a name as free if no repository has it, and ends the creation or rename that may be under
   * way to it. A listing has the name until then, if that was killed, or a deletion or rename that
   * has left the name.
   *
   * @param name the name
   * @return true if it is free now and was not before
   * @throws IOException if the pointer, or the manifest that it leads to, cannot be read
   */
  public boolean release(RepositoryName name) throws IOException {
    return bind(name).release();
  }

  /** Marks a name that a repository has left as free. The name can be used without that. */
  private void tidy(RepositoryName name, String repositoryId, long epoch) {
    try {
      new PointerFile(store, name).tidy(repositoryId, epoch);
    } catch (IOException e) {
      LOG.debug("{} is not marked as free", name, e);
    }
  }

  private static long now() {
    return SystemReader.getInstance().now().toEpochMilli();
  }
}
