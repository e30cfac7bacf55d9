// SPDX-License-Identifier: Apache-2.0
package org.jgits3.transport;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.eclipse.jgit.annotations.Nullable;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ProgressMonitor;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.revwalk.RevCommit;
import org.eclipse.jgit.revwalk.RevWalk;
import org.eclipse.jgit.transport.ConnectivityChecker;
import org.eclipse.jgit.transport.PacketLineOut;
import org.eclipse.jgit.transport.ReceiveCommand;
import org.eclipse.jgit.transport.ReceivePack;
import org.eclipse.jgit.transport.RefAdvertiser;
import org.eclipse.jgit.transport.RefFilter;
import org.jgits3.S3Repository;
import org.jgits3.internal.refs.snapshot.RefSelection;
import org.jgits3.internal.refs.snapshot.ShownRefs;

/**
 * Receives a push into a repository of the store, or of any other kind, which it treats as JGit
 * does. A {@code ReceivePackFactory} returns one.
 *
 * <p>Over HTTP it looks up the refs that the commands name, and no others. {@code get} of the map
 * from {@link #getAdvertisedRefs} then finds every ref that is not hidden, but the map lists none,
 * and {@link #getAdvertisedObjects} is empty. A {@link RefFilter}, an {@code AdvertiseRefsHook}
 * that sets refs, or {@link #setCheckReferencedObjectsAreReachable} make JGit list them as usual.
 *
 * <p>Refs that {@code transfer.hideRefs} or {@code receive.hideRefs} hide are not advertised, and
 * commands that name them are refused, as Git does; so are commands that name a symbolic ref which
 * leads to one. Connectivity is checked from the commands to the nearest objects that any ref
 * points to, hidden ones included.
 *
 * <p>Used by one thread.
 */
public class S3ReceivePack extends ReceivePack {
  /** Bytes of the commands of a push, as JGit has it. */
  private static final long COMMANDS = 3L << 20;

  private final RefSelection notHidden;

  /** Most bytes of the commands and options; 0 for no limit. */
  private long commandLimit;

  /** Set while refs are sent by an advertiser that lists them. */
  private boolean listing;

  private boolean receiving;

  /**
   * Receives a push, with the configuration of the repository.
   *
   * @param into the repository
   */
  public S3ReceivePack(Repository into) {
    this(into, into.getConfig());
  }

  /**
   * Receives a push.
   *
   * @param into the repository
   * @param config configuration that says which refs are hidden; all other settings are those of
   *     the repository until a setter changes them
   */
  public S3ReceivePack(Repository into, Config config) {
    super(into);
    this.commandLimit = into.getConfig().getLong("receive", "maxCommandBytes", COMMANDS);
    this.notHidden =
        into instanceof S3Repository ? RefSelection.notHidden(config, "receive") : RefSelection.ALL;
    if (into instanceof S3Repository repository) {
      connectivityChecker = new NearestRefs(repository, connectivityChecker);
    }
  }

  @Override
  public void setMaxCommandBytes(long limit) {
    commandLimit = limit;
    super.setMaxCommandBytes(limit);
  }

  @Override
  protected void init(InputStream input, OutputStream output, @Nullable OutputStream messages) {
    boolean stored = getRepository() instanceof S3Repository;
    super.init(stored ? new PushRequest(input, commandLimit) : input, output, messages);
    receiving = true;
  }

  /**
   * Also refuses hidden refs, and updates that take too long to compare: JGit calls this after it
   * has read the commands, before it checks them.
   */
  @Override
  public void setAtomic(boolean atomic) {
    super.setAtomic(atomic);
    if (receiving && getRepository() instanceof S3Repository repository) {
      try {
        refuse(repository);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      limitComparisons(repository);
    }
  }

  /**
   * Refuses all commands to a template, and those that name hidden refs, whether these exist or
   * not.
   */
  private void refuse(S3Repository repository) throws IOException {
    boolean template = repository.manifest().isTemplate();
    for (ReceiveCommand command : filterCommands(ReceiveCommand.Result.NOT_ATTEMPTED)) {
      boolean deletes = command.getType() == ReceiveCommand.Type.DELETE;
      if (template) {
        command.setResult(
            ReceiveCommand.Result.REJECTED_OTHER_REASON,
            "this is a template, which is never written; fork it");
      } else if (isHidden(command.getRefName(), repository)) {
        command.setResult(
            ReceiveCommand.Result.REJECTED_OTHER_REASON,
            "deny " + (deletes ? "deleting" : "updating") + " a hidden ref");
      } else if (deletes && command.getRef() == null && !isAllowBranchDeletes()) {
        command.setResult(ReceiveCommand.Result.REJECTED_NODELETE); // JGit looks at the ref's name
      }
    }
  }

  /**
   * Refuses the updates that are left when the comparisons of those before have taken too long. For
   * each command JGit walks through the history between the old and the new commit, to tell a
   * fast-forward; so does this, and JGit then does it again over commits that are in memory. A push
   * of one update takes the time that it needs.
   */
  private void limitComparisons(S3Repository repository) {
    List<ReceiveCommand> updates =
        filterCommands(ReceiveCommand.Result.NOT_ATTEMPTED).stream()
            .filter(command -> command.getType() == ReceiveCommand.Type.UPDATE)
            .toList();
    if (updates.size() == 1) {
      return;
    }
    for (ReceiveCommand update : updates) {
      Optional<String> why = repository.getObjectDatabase().checkComparisons();
      if (why.isPresent()) {
        update.setResult(ReceiveCommand.Result.REJECTED_OTHER_REASON, why.get());
      } else {
        compare(update);
      }
    }
  }

  private void compare(ReceiveCommand update) {
    RevWalk walk = getRevWalk();
    try {
      if (walk.parseAny(update.getOldId()) instanceof RevCommit before
          && walk.parseAny(update.getNewId()) instanceof RevCommit after) {
        walk.isMergedInto(before, after);
      }
    } catch (IOException e) {
      return; // JGit fails in the same way, and tells the client
    }
  }

  /**
   * Tests whether a ref is hidden, or a symbolic ref leads to one that is. C git does not test the
   * second, and updates the hidden ref.
   */
  private boolean isHidden(String name, S3Repository repository) throws IOException {
    if (notHidden.isAll()) {
      return false;
    }
    if (!notHidden.has(name)) {
      return true;
    }
    Ref ref = repository.getRefDatabase().newest().exactRef(name);
    while (ref != null && ref.isSymbolic() && notHidden.has(ref.getName())) {
      ref = ref.getTarget();
    }
    return ref != null && !notHidden.has(ref.getName());
  }

  /** Sets the refs to advertise, without the hidden ones. */
  @Override
  public void setAdvertisedRefs(@Nullable Map<String, Ref> all, @Nullable Set<ObjectId> haves)
      throws IOException {
    if (all == null && getRepository() instanceof S3Repository repository) {
      super.setAdvertisedRefs(refs(repository), haves);
    } else {
      super.setAdvertisedRefs(all == null ? null : notHidden.of(all), haves);
    }
  }

  private AdvertisedRefs refs(S3Repository repository) {
    AdvertisedRefs.Listing listed =
        isNaming() ? AdvertisedRefs.Listing.NONE : AdvertisedRefs.Listing.ALL;
    return new AdvertisedRefs(
        () -> withoutHead(new ShownRefs(repository.getRefDatabase().lookup(), notHidden)),
        () -> listed);
  }

  /** Leaves out {@code HEAD} if it is symbolic, as JGit does; Git always leaves it out. */
  private static ShownRefs withoutHead(ShownRefs all) {
    Ref head = all.exact(Constants.HEAD);
    return head != null && head.isSymbolic() ? all.without(Constants.HEAD) : all;
  }

  /**
   * Sends the response to {@code GET info/refs?service=git-receive-pack}, in memory that does not
   * grow with the refs. A server that calls this instead of {@link #sendAdvertisedRefs} sends the
   * refs as fast as they can be copied.
   *
   * @param out body of the response; flushed and not closed
   * @throws IOException if refs cannot be read or sent
   */
  public void sendInfoRefs(OutputStream out) throws IOException {
    setBiDirectionalPipe(false);
    try {
      PacketLineOut service = new PacketLineOut(out);
      service.setFlushOnEnd(false);
      service.writeString("# service=git-receive-pack\n");
      service.end();
      sendAdvertisedRefs(new StreamedAdvertiser(out, false));
      out.flush();
    } finally {
      getRevWalk().close();
    }
  }

  @Override
  public void sendAdvertisedRefs(RefAdvertiser adv) throws IOException {
    listing = !(adv instanceof StreamedAdvertiser);
    adv.advertiseCapability(StreamedAdvertiser.OBJECT_FORMAT);
    super.sendAdvertisedRefs(adv);
  }

  /** Tests whether refs are only named, so that none need be listed. */
  private boolean isNaming() {
    return !listing
        && !isBiDirectionalPipe()
        && getRefFilter() == RefFilter.DEFAULT
        && !isCheckReferencedObjectsAreReachable();
  }

  /** Checks connectivity down to the nearest objects that refs point to. */
  private record NearestRefs(S3Repository repository, ConnectivityChecker full)
      implements ConnectivityChecker {
    @Override
    public void checkConnectivity(
        ConnectivityCheckInfo push, Set<ObjectId> haves, ProgressMonitor monitor)
        throws IOException {
      if (push.isCheckObjects()) {
        full.checkConnectivity(push, haves, monitor);
        return;
      }
      Set<ObjectId> values =
          push.getCommands().stream()
              .filter(command -> command.getResult() == ReceiveCommand.Result.NOT_ATTEMPTED)
              .map(ReceiveCommand::getNewId)
              .filter(id -> !id.equals(ObjectId.zeroId()))
              .collect(Collectors.toSet());
      repository.getObjectDatabase().checkComplete(values, repository.getRefDatabase().newest());
    }
  }
}
