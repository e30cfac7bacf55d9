// SPDX-License-Identifier: Apache-2.0
package org.jgits3.transfer;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.eclipse.jgit.annotations.Nullable;
import org.eclipse.jgit.errors.IncorrectObjectTypeException;
import org.eclipse.jgit.errors.MissingObjectException;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ProgressMonitor;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.revwalk.ObjectWalk;
import org.eclipse.jgit.revwalk.RevObject;
import org.eclipse.jgit.revwalk.RevWalk;
import org.eclipse.jgit.transport.FetchConnection;
import org.eclipse.jgit.transport.NetRCCredentialsProvider;
import org.eclipse.jgit.transport.Transport;
import org.eclipse.jgit.transport.URIish;
import org.jgits3.S3Repository;

/**
 * Repository that JGit fetches from. Receives its objects like those of a push, then checks that
 * none is missing. Git's protocols carry neither configuration nor description.
 */
final class RemoteSource extends ImportSource {
  private final URIish uri;
  private final UserInfo user;

  /** Time for which the other side may be silent, in seconds. */
  private final int patience;

  RemoteSource(URIish uri, Duration patience) {
    this(uri, new UserInfo(uri), (int) patience.toSeconds());
  }

  private RemoteSource(URIish uri, UserInfo user, int patience) {
    super(user.shown());
    this.uri = uri;
    this.user = user;
    this.patience = patience;
  }

  @Override
  void inspect(Config config, ProgressMonitor monitor) throws IOException {
    try {
      setRefs(SourceRefs.of(new RemoteRefs(uri, config, patience).read()));
    } catch (IOException e) {
      throw failure(e);
    }
  }

  @Override
  void copyObjects(S3Repository target, ProgressMonitor monitor) throws IOException {
    try {
      fetch(target, monitor);
    } catch (IOException e) {
      throw failure(e);
    }
  }

  private IOException failure(IOException e) {
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      if (cause instanceof InterruptedIOException) {
        return new IOException(
            this + ": the server was silent for " + patience + " s, which is --timeout",
            user.hidden(e));
      }
    }
    return user.hidden(e);
  }

  /**
   * Fetches with a new list of refs, because those of {@link #inspect} may not be offered any more.
   */
  private void fetch(S3Repository target, ProgressMonitor monitor) throws IOException {
    try (Transport transport = transport(target, uri, patience)) {
      transport.setCredentialsProvider(new NetRCCredentialsProvider());
      try (FetchConnection connection = transport.openFetch()) {
        Collection<Ref> offered = connection.getRefs();
        setRefs(SourceRefs.of(offered));
        Collection<Ref> wanted = wanted(offered);
        if (!wanted.isEmpty()) {
          connection.fetch(monitor, wanted, Set.of(), OutputStream.nullOutputStream());
        }
      }
    }
    checkComplete(target, monitor);
  }

  /** Opens a transport that gives up a side which is silent for so many seconds. */
  static Transport transport(Repository local, URIish uri, int patience) throws IOException {
    Transport transport =
        "git".equals(uri.getScheme())
            ? new GitDaemonTransport(local, uri, patience)
            : Transport.open(local, uri);
    transport.setTimeout(patience);
    return transport;
  }

  /** Selects one ref of each object. */
  private static Collection<Ref> wanted(Collection<Ref> offered) {
    Map<ObjectId, Ref> wanted = new HashMap<>();
    for (Ref ref : offered) {
      if (ref.getObjectId() != null) {
        wanted.putIfAbsent(ref.getObjectId(), ref);
      }
    }
    return wanted.values();
  }

  private void checkComplete(S3Repository target, ProgressMonitor monitor) throws IOException {
    monitor.beginTask("Checking connectivity", ProgressMonitor.UNKNOWN);
    try (ObjectWalk walk = new ObjectWalk(target)) {
      walk.setRetainBody(false);
      var tips = walk.parseAny(refs().tips(), true);
      for (RevObject tip = tips.next(); tip != null; tip = tips.next()) {
        walk.markStart(tip);
      }
      target.getObjectDatabase().checkReachable(walk, monitor);
    } catch (MissingObjectException e) {
      throw new IOException(
          this + " is not whole: it did not send object " + e.getObjectId().name(), e);
    } catch (IncorrectObjectTypeException e) {
      throw new IOException(this + ": " + e.getMessage() + " See git fsck.", e);
    } finally {
      monitor.endTask();
    }
  }

  @Override
  RevWalk newWalk(S3Repository target) {
    return new RevWalk(target);
  }

  @Override
  String configText() {
    return ImportedConfig.textOf(new Config());
  }

  @Override
  @Nullable
  String description() {
    return null;
  }

  @Override
  public void close() {}
}
