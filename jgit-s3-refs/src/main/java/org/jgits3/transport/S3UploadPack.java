// SPDX-License-Identifier: Apache-2.0
package org.jgits3.transport;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import org.eclipse.jgit.annotations.Nullable;
import org.eclipse.jgit.errors.MissingObjectException;
import org.eclipse.jgit.errors.PackProtocolException;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.transport.AdvertiseRefsHook;
import org.eclipse.jgit.transport.ObjectInfoRequest;
import org.eclipse.jgit.transport.ProtocolV2Hook;
import org.eclipse.jgit.transport.ReceivePack;
import org.eclipse.jgit.transport.RefAdvertiser;
import org.eclipse.jgit.transport.RefFilter;
import org.eclipse.jgit.transport.ServiceMayNotContinueException;
import org.eclipse.jgit.transport.UploadPack;
import org.jgits3.S3Repository;
import org.jgits3.internal.refs.snapshot.RefSelection;
import org.jgits3.internal.refs.snapshot.ShownRefs;

/**
 * Serves a fetch from a repository of the store, or of any other kind, which it treats as JGit
 * does. An {@code UploadPackFactory} returns one.
 *
 * <p>Over HTTP a fetch looks up the objects that it wants, and lists no refs except tags, which
 * JGit sends with the commits they point to. Wanted objects that no ref points to are refused
 * unless a ref that is not hidden leads to them, or the request policy allows more. A listing in
 * protocol 2 is copied from the bytes of the table. A {@link RefFilter}, an {@link
 * AdvertiseRefsHook} or a validator of the embedder's own makes JGit list the refs as usual.
 *
 * <p>Refs that {@code transfer.hideRefs} or {@code uploadpack.hideRefs} hide are not listed, and
 * cannot be named by {@code want-ref}. Their objects can be wanted by id only if the request policy
 * allows it. {@code object-info} is refused. Where tags are hidden, {@code include-tag} of protocol
 * 2 is ignored, because JGit would send the hidden ones, too. A fetch then asks for the tags that
 * it sees; a shallow clone has none.
 *
 * <p>Used by one thread.
 */
public class S3UploadPack extends UploadPack {
  /** The repository if it is one of the store; null for any other. */
  @Nullable private final S3Repository stored;

  private final RefSelection notHidden;

  /** True while serving a request that came without an advertisement. */
  private boolean serving;

  private boolean filtered;

  /** The request; null before it is read. */
  @Nullable private FetchRequest received;

  /** True if the embedder has set a hook of its own. */
  private boolean ownHook;

  /**
   * Serves a fetch, with the configuration of the repository.
   *
   * @param from the repository
   */
  public S3UploadPack(Repository from) {
    this(from, from.getConfig());
  }

  /**
   * Serves a fetch.
   *
   * @param from the repository
   * @param config configuration that says which refs are hidden; all other settings are those of
   *     the repository until {@link #setTransferConfig} changes them
   */
  public S3UploadPack(Repository from, Config config) {
    super(from);
    this.stored = from instanceof S3Repository repository ? repository : null;
    this.notHidden =
        stored == null ? RefSelection.ALL : RefSelection.notHidden(config, "uploadpack");
    setRefFilter(null);
    setAdvertiseRefsHook(null);
    setProtocolV2Hook(null);
  }

  @Override
  public final void setProtocolV2Hook(@Nullable ProtocolV2Hook hook) {
    ownHook = hook != null && hook != ProtocolV2Hook.DEFAULT;
    super.setProtocolV2Hook(ownHook ? hook : new NoObjectInfo());
  }

  /**
   * Refuses {@code object-info}, which JGit serves even if it has not offered it, and of which it
   * does not ask whether the client may see the objects.
   */
  private static final class NoObjectInfo implements ProtocolV2Hook {
    @Override
    public void onObjectInfo(ObjectInfoRequest request) throws ServiceMayNotContinueException {
      throw new ServiceMayNotContinueException("object-info is not served here");
    }
  }

  @Override
  public final void setRefFilter(@Nullable RefFilter filter) {
    boolean given = filter != null && filter != RefFilter.DEFAULT;
    filtered |= given;
    if (stored != null) { // JGit's own filter knows only part of Git's rules
      RefFilter next = given ? filter : refs -> refs;
      super.setRefFilter(
          refs -> next.filter(refs instanceof AdvertisedRefs ? refs : notHidden.of(refs)));
    } else {
      super.setRefFilter(filter);
    }
  }

  @Override
  public final void setAdvertiseRefsHook(@Nullable AdvertiseRefsHook hook) {
    boolean given = hook != null && hook != AdvertiseRefsHook.DEFAULT;
    filtered |= given;
    super.setAdvertiseRefsHook(given || stored == null ? hook : new FoundByName());
  }

  /** Sets the refs to advertise, without the hidden ones. */
  @Override
  public void setAdvertisedRefs(@Nullable Map<String, Ref> all) {
    filtered |= all != null;
    if (all == null && stored != null) {
      super.setAdvertisedRefs(new AdvertisedRefs(() -> shown(notHidden), this::listing));
    } else {
      super.setAdvertisedRefs(all == null ? null : notHidden.of(all));
    }
  }

  /** Gives JGit refs that it can find, before it lists them. */
  private static final class FoundByName implements AdvertiseRefsHook {
    @Override
    public void advertiseRefs(UploadPack up) {
      up.setAdvertisedRefs(null);
    }

    @Override
    public void advertiseRefs(ReceivePack rp) {
      throw new UnsupportedOperationException("hook of fetches");
    }
  }

  private ShownRefs shown(RefSelection selection) throws IOException {
    return new ShownRefs(stored.getRefDatabase().lookup(), selection);
  }

  private int tags(RefSelection selection) throws IOException {
    return shown(selection).under(List.of(Constants.R_TAGS)).size();
  }

  private AdvertisedRefs.Listing listing() {
    if (!serving) {
      return AdvertisedRefs.Listing.ALL;
    }
    return getRequestPolicy() == RequestPolicy.ANY && !received.takesTags()
        ? AdvertisedRefs.Listing.NONE
        : AdvertisedRefs.Listing.TAGS;
  }

  @Override
  public void uploadWithExceptionPropagation(
      InputStream asked, OutputStream output, @Nullable OutputStream messages) throws IOException {
    if (stored == null) {
      super.uploadWithExceptionPropagation(asked, output, messages);
      return;
    }
    received = new FetchRequest(asked, stored);
    try {
      serve(received, output, messages);
    } catch (UncheckedIOException e) { // of JGit's iterator of lines
      if (e.getCause() instanceof PackProtocolException refusal) {
        throw refusal;
      }
      throw e;
    } catch (MissingObjectException e) { // JGit tells why only if the history is not limited
      String line = received.lineOf(e.getObjectId());
      if (received.limitsHistory() && line != null && getStatistics() == null) { // no pack yet
        throw new PackProtocolException(line + " not valid", e);
      }
      throw e;
    } catch (EOFException e) {
      if (isBiDirectionalPipe() || !received.asksForEndOfHistory()) {
        throw e;
      }
    }
  }

  /**
   * Tests whether the client asks for a part of the history: to a depth, since a time or without
   * that of refs.
   *
   * @return false also before the request is read
   */
  protected final boolean limitsHistory() {
    return received != null && received.limitsHistory();
  }

  private void serve(InputStream asked, OutputStream output, @Nullable OutputStream messages)
      throws IOException {
    InputStream input = asked;
    if (!notHidden.isAll()) {
      input = new WithoutIncludeTag(input, () -> tags(notHidden) < tags(RefSelection.ALL));
    }
    if (isBiDirectionalPipe() || !looksUp()) {
      super.uploadWithExceptionPropagation(input, output, messages);
      return;
    }
    BufferedInputStream request = new BufferedInputStream(input);
    boolean lists = LsRefs.begins(request);
    if (lists && !ownHook) {
      list(request, output);
      return;
    }
    serving = !lists;
    RequestPolicy policy = getRequestPolicy();
    if (policy == RequestPolicy.ANY) {
      setAdvertisedRefs(null); // JGit does not, and would send no tags in protocol 0
    } else {
      RefSelection wanted = policy.implies(RequestPolicy.TIP) ? RefSelection.ALL : notHidden;
      setRequestValidator(new VisibleWants(() -> shown(wanted)));
    }
    super.uploadWithExceptionPropagation(request, output, messages);
  }

  /** Tests whether the embedder chooses neither refs nor wants. */
  private boolean looksUp() {
    return !filtered && getRequestPolicy() != null && stored != null;
  }

  private void list(InputStream request, OutputStream output) throws IOException {
    try {
      LsRefs.read(request).answer(shown(notHidden), output);
    } finally {
      getRevWalk().close();
    }
  }

  /** Also advertises capabilities of protocol 0 that JGit has, or {@link FetchRequest} adds. */
  @Override
  public void sendAdvertisedRefs(RefAdvertiser adv, @Nullable String serviceName)
      throws IOException {
    adv.advertiseCapability(StreamedAdvertiser.OBJECT_FORMAT);
    if (stored != null) {
      adv.advertiseCapability("deepen-since");
      adv.advertiseCapability("deepen-not");
      adv.advertiseCapability("deepen-relative");
    }
    super.sendAdvertisedRefs(adv, serviceName);
  }

  /**
   * Sends the response to {@code GET info/refs?service=git-upload-pack}, in memory that does not
   * grow with the refs. A server that calls this instead of {@link #sendAdvertisedRefs} sends the
   * refs as fast as they can be copied.
   *
   * @param out body of the response; flushed and not closed
   * @throws IOException if refs cannot be read or sent
   */
  public void sendInfoRefs(OutputStream out) throws IOException {
    setBiDirectionalPipe(false);
    try {
      sendAdvertisedRefs(new StreamedAdvertiser(out, looksUp() && !ownHook), "git-upload-pack");
      out.flush();
    } finally {
      getRevWalk().close();
    }
  }
}
