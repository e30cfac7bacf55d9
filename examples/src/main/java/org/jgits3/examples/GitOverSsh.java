// SPDX-License-Identifier: Apache-2.0
package org.jgits3.examples;

import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.sshd.server.Environment;
import org.apache.sshd.server.SshServer;
import org.apache.sshd.server.auth.pubkey.PublickeyAuthenticator;
import org.apache.sshd.server.command.AbstractCommandSupport;
import org.apache.sshd.server.config.keys.AuthorizedKeysAuthenticator;
import org.apache.sshd.server.keyprovider.SimpleGeneratorHostKeyProvider;
import org.apache.sshd.server.session.ServerSession;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.transport.ReceivePack;
import org.eclipse.jgit.transport.UploadPack;
import org.eclipse.jgit.transport.resolver.RepositoryResolver;
import org.jgits3.S3RepositoryManager;
import org.jgits3.transport.S3ReceivePack;
import org.jgits3.transport.S3UploadPack;

/**
 * Serves all repositories of a store over SSH, by Apache MINA SSHD.
 *
 * <p>Git's client runs {@code git-upload-pack} or {@code git-receive-pack} on the server. No
 * process is started for that: the streams of the session go to JGit.
 */
public final class GitOverSsh implements Closeable {
  private final S3RepositoryManager manager;
  private final SshServer server = SshServer.setUpDefaultServer();

  /**
   * Starts the server on a free port of the loopback interface.
   *
   * @param manager the repositories; closed with the server
   * @param hostKey file of the host key, which is made if there is none
   * @param users tests whose key is accepted
   * @throws IOException if the port cannot be bound
   */
  public GitOverSsh(S3RepositoryManager manager, Path hostKey, PublickeyAuthenticator users)
      throws IOException {
    this.manager = manager;
    manager.maintainInBackground();
    RepositoryResolver<ServerSession> repositories = manager.asResolver();
    server.setHost("127.0.0.1");
    server.setKeyPairProvider(new SimpleGeneratorHostKeyProvider(hostKey));
    server.setPublickeyAuthenticator(users);
    server.setCommandFactory((channel, command) -> new GitCommand(command, repositories));
    server.start();
  }

  /** One command of a client. */
  private static final class GitCommand extends AbstractCommandSupport {
    private static final Pattern GIT =
        Pattern.compile("git[- ](?<service>upload-pack|receive-pack) '/?(?<name>[^']+)'");

    private final RepositoryResolver<ServerSession> repositories;

    GitCommand(String command, RepositoryResolver<ServerSession> repositories) {
      super(command, null);
      this.repositories = repositories;
    }

    @Override
    public void run() {
      try {
        serve();
        onExit(0);
      } catch (Exception e) { // told to the client; a server also logs it
        fail(e.getMessage());
      }
    }

    private void serve() throws Exception {
      Matcher git = GIT.matcher(getCommand());
      if (!git.matches()) {
        throw new IOException("not a command of Git: " + getCommand());
      }
      ServerSession session = getServerSession();
      try (Repository repository = repositories.open(session, git.group("name"))) {
        if (git.group("service").equals("receive-pack")) {
          ReceivePack push = new S3ReceivePack(repository);
          push.receive(getInputStream(), getOutputStream(), getErrorStream());
        } else {
          UploadPack fetch = new S3UploadPack(repository);
          fetch.setExtraParameters(protocol(getEnvironment()));
          fetch.upload(getInputStream(), getOutputStream(), getErrorStream());
        }
      }
    }

    /** The version of the protocol, which the client sends as a variable of the environment. */
    private static List<String> protocol(Environment environment) {
      String asked = environment.getEnv().get("GIT_PROTOCOL");
      return asked == null ? List.of() : List.of(asked.split(":"));
    }

    private void fail(String message) {
      try {
        getErrorStream().write(("fatal: " + message + "\n").getBytes(StandardCharsets.UTF_8));
        getErrorStream().flush();
      } catch (IOException gone) {
        // the client is
      }
      onExit(1);
    }
  }

  /**
   * Port that clients connect to.
   *
   * @return the port
   */
  public int port() {
    return server.getPort();
  }

  /** Stops the server, then closes the store. */
  @Override
  public void close() throws IOException {
    server.stop(true);
    manager.close();
  }

  /**
   * Serves until the process is ended.
   *
   * @param args the store, a file for the host key, and a file of authorized keys
   * @throws Exception if the server cannot be started
   */
  public static void main(String[] args) throws Exception {
    S3RepositoryManager manager = S3RepositoryManager.open(StoreServer.settings(args[0]));
    GitOverSsh git =
        new GitOverSsh(
            manager, Path.of(args[1]), new AuthorizedKeysAuthenticator(Path.of(args[2])));
    System.out.println("ssh://127.0.0.1:" + git.port() + "/");
    Thread.currentThread().join();
  }
}
