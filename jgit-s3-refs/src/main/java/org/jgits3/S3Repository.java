// SPDX-License-Identifier: Apache-2.0
package org.jgits3;

import java.io.IOException;
import org.eclipse.jgit.annotations.NonNull;
import org.eclipse.jgit.annotations.Nullable;
import org.eclipse.jgit.internal.storage.dfs.DfsReaderOptions;
import org.eclipse.jgit.internal.storage.dfs.DfsRepository;
import org.eclipse.jgit.internal.storage.dfs.DfsRepositoryBuilder;
import org.eclipse.jgit.internal.storage.dfs.DfsRepositoryDescription;
import org.eclipse.jgit.lib.ObjectReader;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.lib.ReflogReader;
import org.eclipse.jgit.lib.StoredConfig;
import org.eclipse.jgit.util.FS;
import org.jgits3.history.TransactionHistory;
import org.jgits3.internal.commit.Proposal;
import org.jgits3.internal.pack.S3ObjDatabase;
import org.jgits3.internal.refs.S3RefDatabase;
import org.jgits3.maintenance.Maintenance;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.RepositorySettings;
import org.jgits3.store.Freshness;

/**
 * A handle of a Git repository whose packs and refs are objects in a store. Opened by {@link
 * S3RepositoryManager}, closed by the caller that opened it.
 *
 * <p>Safe for use by many threads.
 */
public final class S3Repository extends DfsRepository {
  /**
   * Bytes read ahead where JGit streams a whole pack, unless {@code core.dfs.streamBuffer} sets
   * another number. Each of the four buffers leaves room for its array header, which would
   * otherwise cost G1 one more region.
   */
  private static final int STREAM_BUFFER = (8 << 20) - 256;

  private final SharedRepository shared;
  private final ManifestConfig config;
  private final S3ObjDatabase objects;
  private final S3RefDatabase refs;
  private final Freshness sinceBegan;

  /**
   * Creates a handle.
   *
   * @param shared state shared with the other handles of the repository
   * @param settings settings of the administrator
   * @param purpose what it is opened for
   * @param mints whether the manifest was read for the operation, so that packs are named by it
   */
  S3Repository(SharedRepository shared, S3Settings settings, Purpose purpose, boolean mints) {
    super(new Builder(shared.label()));
    this.shared = shared;
    this.sinceBegan = purpose.sinceBegan();
    this.config = new ManifestConfig(settings.config(), shared.committer());
    this.config.current();
    this.config.addChangeListener(this::fireEvent);
    DfsReaderOptions options = new DfsReaderOptions();
    options.setStreamPackBufferSize(STREAM_BUFFER);
    options.fromConfig(settings.config());
    this.objects = new S3ObjDatabase(this, options, shared.packs(), mints);
    this.refs = new S3RefDatabase(this, shared.refs(), objects, purpose.lookups());
    if (purpose.defersReceived()) {
      objects.deferReceivedPacks();
    }
  }

  /** The builder that {@link DfsRepository} requires. */
  private static final class Builder extends DfsRepositoryBuilder<Builder, S3Repository> {
    Builder(String name) {
      setRepositoryDescription(new DfsRepositoryDescription(name));
      setBare();
      setFS(FS.DETECTED); // for remotes that are local, and for ssh, though nothing here is a file
    }

    @Override
    public S3Repository build() {
      throw new UnsupportedOperationException("opened by S3RepositoryManager");
    }
  }

  /**
   * The newest manifest this process knows: generation, packs, log and so on, for reporting.
   *
   * @return the manifest
   * @throws IOException if none was read yet and it cannot be read now
   */
  public Manifest manifest() throws IOException {
    return shared.manifest();
  }

  /**
   * Answers of the store since the operation began that this handle is for.
   *
   * @return those answers; none if it is for several operations
   */
  public Freshness sinceBegan() {
    return sinceBegan;
  }

  /**
   * Asks the store, unless an answer that will do is known. Later look-ups see the state as of that
   * answer or newer.
   *
   * @param wanted answers that will do
   * @throws IOException if the store does not answer, or the repository is gone
   */
  public void validate(Freshness wanted) throws IOException {
    if (!shared.refs().isKnown(wanted)) {
      shared.refs().validate();
    }
  }

  @Override
  public S3ObjDatabase getObjectDatabase() {
    return objects;
  }

  @Override
  public ObjectReader newObjectReader() {
    return objects.newObjectReader();
  }

  @Override
  public S3RefDatabase getRefDatabase() {
    return refs;
  }

  /**
   * The repository's Git configuration, on top of the administrator's. Each handle has one such
   * object. If a newer configuration has become known, this call reads it, and unsaved values are
   * lost.
   *
   * <p>{@code load()} asks the store first. {@code save()} commits it, and fails with
   *
   * <ul>
   *   <li>an {@code IOException} if another process has changed it since it was read: {@code
   *       load()} it, make the change again, and save;
   *   <li>{@link org.jgits3.manifest.UnknownOutcomeException} if it is not known whether it was
   *       committed; saving the same values again is harmless, and reveals the outcome;
   *   <li>{@link org.jgits3.manifest.ManifestException.Gone} if the repository was deleted or
   *       renamed.
   * </ul>
   *
   * <p>Listeners of the repository get a {@code ConfigChangedEvent} when it is saved, and when this
   * call, {@code load()} or {@link #scanForRepoChanges} finds that another process changed it.
   *
   * @return the configuration as of the newest known manifest
   */
  @Override
  public StoredConfig getConfig() {
    return config.current();
  }

  /**
   * True until the repository is deleted or renamed.
   *
   * @throws IOException if the store does not answer
   */
  @Override
  public boolean exists() throws IOException {
    return shared.exists();
  }

  /** Asks the store for changes of others, and fires events for them. */
  @Override
  public void scanForRepoChanges() throws IOException {
    refs.scan();
    config.current();
    objects.getPackList();
  }

  @Override
  @Nullable
  public String getGitwebDescription() throws IOException {
    String description = manifest().settings().description();
    return description.isEmpty() ? null : description;
  }

  @Override
  public void setGitwebDescription(@Nullable String description) throws IOException {
    String text = description == null ? "" : description;
    if (shared.refs().isKnown(sinceBegan) && manifest().settings().description().equals(text)) {
      return;
    }
    shared
        .committer()
        .<Boolean>commit(
            base -> {
              RepositorySettings s = base.settings();
              return s.description().equals(text)
                  ? Proposal.noEdit(false)
                  : Proposal.edit(
                      base.withSettings(new RepositorySettings(s.config(), text)), true);
            });
  }

  /**
   * All transactions of the repository, for followers.
   *
   * @return the history
   */
  public TransactionHistory history() {
    return new TransactionHistory(refs);
  }

  /** State shared with the other handles of the repository. */
  SharedRepository shared() {
    return shared;
  }

  /**
   * Maintenance of the repository: compaction, collection and sweep.
   *
   * @return its maintenance, to be used while the manager is open
   */
  public Maintenance maintenance() {
    return shared.maintenance(this::getConfig);
  }

  @Override
  @Deprecated
  @Nullable
  public ReflogReader getReflogReader(String refName) throws IOException {
    return refs.getReflogReader(refName);
  }

  @Override
  @Deprecated
  @NonNull
  public ReflogReader getReflogReader(@NonNull Ref ref) throws IOException {
    return refs.getReflogReader(ref);
  }

  @Override
  public String toString() {
    return "S3Repository[" + shared.location() + "]";
  }
}
