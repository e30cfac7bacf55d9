// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http.users;

import at.favre.lib.crypto.bcrypt.BCrypt;
import at.favre.lib.crypto.bcrypt.LongPasswordStrategies;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.eclipse.jgit.internal.storage.file.FileSnapshot;
import org.jgits3.server.http.limit.BoundedWork;
import org.jgits3.server.http.limit.Refusal;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Users that may connect, from an htpasswd file that is read again whenever it changes. If the
 * changed file is not valid, logs that, and keeps the users of the last valid file.
 *
 * <p>Password checks are slow by design, and Git sends the password with every request. The valid
 * password of each user is therefore remembered (as a keyed digest) until the user's hash changes.
 * At most half of the processors check other passwords, and a bounded number of requests waits for
 * a check. Clients take turns, by address and not by user: a client may send any number of names,
 * and turns of the names in the file alone would tell which names these are. Safe for use by many
 * threads.
 */
public final class UsersFile {
  private static final Logger LOG = LoggerFactory.getLogger(UsersFile.class);

  /** htpasswd cuts passwords at 72 bytes, as bcrypt does. */
  private static final BCrypt.Verifyer VERIFIER =
      BCrypt.verifyer(
          BCrypt.Version.VERSION_2Y, LongPasswordStrategies.truncate(BCrypt.Version.VERSION_2Y));

  /** Maximum number of concurrent checks. */
  private static final int MOST_AT_WORK = 8;

  /** One for each of many clients. A check of cost 10 takes some 60 ms, so most get their turn. */
  private static final int MOST_WAITING = 256;

  private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);

  /** Maximum length of a file in bytes; 60 bytes are a hash. */
  static final int MAX_BYTES = 16 << 20;

  private final Path file;
  private final BoundedWork checks;
  private final VerifiedPasswords verified = new VerifiedPasswords();

  /** Replaced as a whole, under the lock of this, when the file has changed. */
  private volatile Loaded loaded;

  private UsersFile(Path file, Loaded loaded, BoundedWork checks) {
    this.file = file;
    this.loaded = loaded;
    this.checks = checks;
  }

  /** One reading of the file. */
  private record Loaded(FileSnapshot snapshot, Htpasswd users) {}

  /** The file cannot be used; the message names file and line. */
  public static final class InvalidException extends IOException {
    /**
     * A bad file.
     *
     * @param message one line
     */
    public InvalidException(String message) {
      super(message);
    }

    InvalidException(String message, Throwable cause) {
      super(message, cause);
    }
  }

  /**
   * Reads a file.
   *
   * @param file htpasswd file with bcrypt hashes
   * @return the users
   * @throws InvalidException if the file or a line cannot be used, or there are no users
   */
  public static UsersFile open(Path file) throws InvalidException {
    int half = Runtime.getRuntime().availableProcessors() / 2;
    int atWork = Math.max(1, Math.min(half, MOST_AT_WORK));
    return open(
        file, new BoundedWork("too many passwords to check", atWork, MOST_WAITING, LONGEST_WAIT));
  }

  public static UsersFile open(Path file, BoundedWork checks) throws InvalidException {
    // FileSnapshot needs the directory, which a plain name does not have.
    Path absolute = file.toAbsolutePath();
    return new UsersFile(absolute, load(absolute), checks);
  }

  /**
   * Checks a name and a password. Takes as long for a user that does not exist as for one whose
   * password is wrong.
   *
   * @param client client that sent them, one of those that take turns
   * @param user name
   * @param password password
   * @return true if the file has that user with that password, complete already if the password was
   *     verified before; otherwise fails with a {@link Refusal} if too many passwords are being
   *     checked
   */
  CompletableFuture<Boolean> accepts(String client, String user, String password) {
    Htpasswd users = current().users();
    Optional<String> hash = users.hash(user);
    byte[] secret = password.getBytes(StandardCharsets.UTF_8);
    return isVerified(user, hash, secret)
        ? CompletableFuture.completedFuture(true)
        : checks.submit(client, () -> isRight(users, user, hash, secret));
  }

  private boolean isVerified(String user, Optional<String> hash, byte[] secret) {
    return hash.isPresent() && verified.contains(user, hash.get(), secret);
  }

  private boolean isRight(Htpasswd users, String user, Optional<String> hash, byte[] secret) {
    // Clients that start together send the same password; the first one has checked it for all.
    if (isVerified(user, hash, secret)) {
      return true;
    }
    if (hash.isPresent() && verify(secret, hash.get())) {
      verified.add(user, hash.get(), secret);
      return true;
    }
    for (String decoy : users.decoys(hash)) {
      verify(secret, decoy);
    }
    return false;
  }

  private static boolean verify(byte[] password, String hash) {
    return VERIFIER.verify(password, hash.getBytes(StandardCharsets.US_ASCII)).verified;
  }

  private Loaded current() {
    if (changed()) {
      reload();
    }
    return loaded;
  }

  private boolean changed() {
    return loaded.snapshot().isModified(file.toFile());
  }

  private synchronized void reload() {
    if (!changed()) {
      return;
    }
    FileSnapshot snapshot = FileSnapshot.save(file.toFile());
    try {
      loaded = load(file);
    } catch (InvalidException e) {
      LOG.error("the users of the last good file stay: {}", e.getMessage());
      loaded = new Loaded(snapshot, loaded.users());
    }
  }

  private static Loaded load(Path file) throws InvalidException {
    FileSnapshot snapshot = FileSnapshot.save(file.toFile());
    Htpasswd users = Htpasswd.parse(read(file), file.toString());
    if (users.isEmpty()) { // perhaps another program is about to write it
      throw new InvalidException(file + ": has no users; add one with jgit-s3 users add");
    }
    return new Loaded(snapshot, users);
  }

  /** Reads a file into memory, unless it is larger than {@link #MAX_BYTES}. */
  static byte[] read(Path file) throws InvalidException {
    try (InputStream in = Files.newInputStream(file)) {
      byte[] bytes = in.readNBytes(MAX_BYTES + 1);
      if (bytes.length > MAX_BYTES) {
        throw new InvalidException(file + ": has more than " + MAX_BYTES + " bytes");
      }
      return bytes;
    } catch (InvalidException e) {
      throw e;
    } catch (NoSuchFileException e) {
      throw new InvalidException(file + ": no such file of users", e);
    } catch (IOException e) {
      throw new InvalidException(file + ": cannot be read: " + e.getMessage(), e);
    }
  }
}
