// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http;

import java.io.EOFException;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import org.eclipse.jgit.annotations.Nullable;
import org.eclipse.jgit.errors.CorruptObjectException;
import org.eclipse.jgit.errors.MissingObjectException;
import org.eclipse.jgit.errors.PackProtocolException;
import org.eclipse.jgit.errors.TransportException;
import org.eclipse.jgit.errors.UnpackException;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.transport.ReceiveCommand;
import org.eclipse.jgit.transport.UnpackErrorHandler;
import org.jgits3.S3Repository;
import org.jgits3.internal.pack.limit.TransferLimits;
import org.jgits3.transport.S3ReceivePack;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Push that reports its outcome; JGit itself forgets the commands when it is done. */
final class ObservedReceivePack extends S3ReceivePack {
  /** Outcome of a push. */
  enum Outcome {
    /** Every command succeeded. */
    OK,
    /** At least one command was refused. */
    REJECTED,
    /** No command was executed: the pack was refused or did not arrive. */
    FAILED
  }

  /** Bytes of a refused pack that are read. A client that sends more does not learn the reason. */
  private static final long MOST_DISCARDED = 1L << 30;

  private static final Logger LOG = LoggerFactory.getLogger(ObservedReceivePack.class);

  private Outcome outcome = Outcome.FAILED;
  private List<ReceiveCommand> commands = List.of();

  ObservedReceivePack(Repository into, Config config) {
    super(into, config);
    UnpackErrorHandler failure = getUnpackErrorHandler();
    setUnpackErrorHandler(
        reason -> {
          keepCommands();
          failure.handleUnpackException(reason);
        });
  }

  /**
   * Receives a push. If the client's old values differ from the known refs, asks the store first,
   * because JGit would refuse the commands if the known refs were stale.
   *
   * @throws IOException if it failed and the client was not told
   */
  @Override
  public void receive(InputStream input, OutputStream output, @Nullable OutputStream messages)
      throws IOException {
    InputStream whole = input;
    if (getRepository() instanceof S3Repository repository) {
      PeekedCommands commands = PeekedCommands.of(input);
      if (!commands.fit(repository)) {
        repository.validate(repository.sinceBegan());
      }
      whole = commands.andRest();
    }
    Told told = new Told(output);
    try {
      super.receive(whole, told, messages);
    } catch (UnpackException | PackProtocolException | CorruptObjectException e) {
      if (!told.anything || TransferErrors.isClientGone(e)) {
        throw e;
      }
      log(e);
      discard(whole);
    } catch (IOException e) {
      if (told.anything || !isUnreadable(e)) {
        throw e;
      }
      throw new PackProtocolException("the push cannot be read: " + e.getMessage(), e);
    }
  }

  /** Logs a failure that the client was told of, in one line if the client is the cause. */
  private void log(IOException e) {
    Throwable reason = e instanceof UnpackException ? e.getCause() : e;
    String repository = getRepository().getIdentifier();
    if (reason instanceof TransportException
        || reason instanceof CorruptObjectException
        || reason instanceof MissingObjectException
        || reason instanceof EOFException
        || reason instanceof TransferLimits.Refusal) {
      LOG.info("receive-pack to {}: {}", repository, reason.getMessage());
    } else {
      LOG.warn("receive-pack to {}", repository, e);
    }
  }

  /**
   * Reads the rest of a refused pack. A client sends all of it before it reads the refusal; if the
   * connection is closed under it, it tells the user of a broken pipe instead.
   */
  private static void discard(InputStream pack) {
    byte[] piece = new byte[8 << 10];
    try {
      int n = 0;
      for (long left = MOST_DISCARDED; left > 0 && n >= 0; left -= n) {
        n = pack.read(piece);
      }
    } catch (IOException e) {
      LOG.debug("the client of a refused push is gone", e);
    }
  }

  /**
   * Tests whether JGit could not read the request. It has no type of exception for that, and
   * failures of the store and of packs have others.
   */
  private static boolean isUnreadable(IOException e) {
    return e.getClass() == IOException.class || e.getClass() == EOFException.class;
  }

  /** Called by JGit's servlet in place of {@link #receive}. */
  @Override
  public void receiveWithExceptionPropagation(
      InputStream input, OutputStream output, @Nullable OutputStream messages) throws IOException {
    receive(input, output, messages);
  }

  /** Output to the client that notes whether it has been told anything. */
  private static final class Told extends FilterOutputStream {
    private boolean anything;

    Told(OutputStream out) {
      super(out);
    }

    @Override
    public void write(int b) throws IOException {
      anything = true;
      out.write(b);
    }

    @Override
    public void write(byte[] src, int offset, int length) throws IOException {
      anything = true;
      out.write(src, offset, length);
    }
  }

  /** JGit calls this when it has read the commands and the pack. */
  @Override
  public void setAtomic(boolean atomic) {
    keepCommands();
    super.setAtomic(atomic);
  }

  private void keepCommands() {
    commands = List.copyOf(getAllCommands());
  }

  @Override
  protected void executeCommands() {
    super.executeCommands();
    boolean all =
        getAllCommands().stream()
            .allMatch(command -> command.getResult() == ReceiveCommand.Result.OK);
    outcome = all ? Outcome.OK : Outcome.REJECTED;
  }

  Outcome outcome() {
    return outcome;
  }

  /** Commands with their results; none if they did not arrive. */
  List<ReceiveCommand> commands() {
    return commands;
  }
}
