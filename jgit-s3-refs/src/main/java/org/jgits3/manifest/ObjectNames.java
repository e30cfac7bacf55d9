// SPDX-License-Identifier: Apache-2.0
package org.jgits3.manifest;

import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/**
 * Names and keys of a repository's objects.
 *
 * <p>A minted name is the generation at which it was minted, 12 hex digits, a dash, and 80 random
 * bits, 20 hex digits: it carries its age without a clock, and no name is ever used twice.
 */
public final class ObjectNames {
  /** Extension of the object that holds several files of a pack. */
  public static final String BUNDLE = "bundle";

  /** Prefix of the objects of all repositories. */
  public static final String PREFIX = "objects/";

  /** Prefix of the manifests of all repositories. */
  public static final String MANIFESTS = "repos/";

  private static final String MANIFEST = "/manifest";
  private static final Pattern REPOSITORY_ID = Pattern.compile("[0-9a-f]{32}");
  private static final SecureRandom RANDOM = new SecureRandom();
  private static final int GENERATION_DIGITS = 12;
  private static final int RANDOM_BYTES = 10;
  private static final Pattern MINTED = Pattern.compile("[0-9a-f]{12}-[0-9a-f]{20}");

  private ObjectNames() {}

  /**
   * Mints a name that was never used.
   *
   * @param validated manifest validated within the operation that will list the name
   * @return the name
   */
  public static String mint(Manifest validated) {
    return HexFormat.of().toHexDigits(validated.generation(), GENERATION_DIGITS)
        + "-"
        + random(RANDOM_BYTES);
  }

  /**
   * The generation at which a name was minted.
   *
   * @param id minted name
   * @return its generation
   * @throws IllegalArgumentException if the name was not minted by {@link #mint}
   */
  public static long mintedAt(String id) {
    if (!MINTED.matcher(id).matches()) {
      throw new IllegalArgumentException("not a minted name: " + id);
    }
    return HexFormat.fromHexDigitsToLong(id, 0, GENERATION_DIGITS);
  }

  /**
   * Random bits in hex, from a cryptographic source.
   *
   * @param bytes how many bytes
   * @return twice as many hex digits
   */
  public static String random(int bytes) {
    byte[] b = new byte[bytes];
    RANDOM.nextBytes(b);
    return HexFormat.of().formatHex(b);
  }

  /**
   * Key of the manifest of a repository.
   *
   * @param repositoryId id of the repository
   * @return key
   */
  public static String manifestKey(String repositoryId) {
    return MANIFESTS + repositoryId + MANIFEST;
  }

  /**
   * Reads the id of the repository that a manifest belongs to.
   *
   * @param key any key
   * @return id of the repository; empty if the key is not that of a manifest
   */
  public static Optional<String> repositoryIdOfManifest(String key) {
    if (!key.startsWith(MANIFESTS) || !key.endsWith(MANIFEST)) {
      return Optional.empty();
    }
    int end = key.length() - MANIFEST.length();
    return Optional.of(key.substring(Math.min(MANIFESTS.length(), end), end))
        .filter(id -> REPOSITORY_ID.matcher(id).matches());
  }

  /**
   * Prefix of all objects of one repository.
   *
   * @param repositoryId id of the repository
   * @return prefix that ends in a slash
   */
  public static String prefix(String repositoryId) {
    return PREFIX + repositoryId + "/";
  }

  /**
   * Reads the id of the repository that an object belongs to.
   *
   * @param key any key
   * @return id of the repository; empty if the key is another one
   */
  public static Optional<String> repositoryIdIn(String key) {
    int end = key.indexOf('/', PREFIX.length());
    return key.startsWith(PREFIX) && end >= 0
        ? Optional.of(key.substring(PREFIX.length(), end))
            .filter(id -> REPOSITORY_ID.matcher(id).matches())
        : Optional.empty();
  }

  /**
   * Key of a snapshot of all refs.
   *
   * @param repositoryId id of the repository
   * @param id minted name
   * @return key
   */
  public static String snapshotKey(String repositoryId, String id) {
    return prefix(repositoryId) + "refs/" + id;
  }

  /**
   * Key of a segment of the transaction log, or of one large transaction.
   *
   * @param repositoryId id of the repository
   * @param id minted name
   * @return key
   */
  public static String logKey(String repositoryId, String id) {
    return prefix(repositoryId) + "log/" + id;
  }

  /**
   * Key of one file of a pack.
   *
   * @param repositoryId id of the repository
   * @param id minted name of the pack
   * @param ext extension without a dot, {@link #BUNDLE} for several files in one
   * @return key
   */
  public static String packKey(String repositoryId, String id, String ext) {
    return prefix(repositoryId) + "pack/" + id + "." + ext;
  }

  /**
   * Prefix of the marks that sweepers leave, see {@link #markKey}.
   *
   * @param repositoryId id of the repository
   * @return prefix that ends in a slash
   */
  public static String marks(String repositoryId) {
    return prefix(repositoryId) + "sweep/";
  }

  /**
   * Key of a mark: an object that says when its generation was the current one.
   *
   * @param repositoryId id of the repository
   * @param id minted name
   * @return key
   */
  public static String markKey(String repositoryId, String id) {
    return marks(repositoryId) + id;
  }

  /**
   * The generation at which the name in a key was minted.
   *
   * @param key key of any object
   * @return its generation; empty if the key has no minted name
   */
  public static OptionalLong mintedAtOf(String key) {
    String file = key.substring(key.lastIndexOf('/') + 1);
    int dot = file.indexOf('.');
    String id = dot < 0 ? file : file.substring(0, dot);
    return MINTED.matcher(id).matches() ? OptionalLong.of(mintedAt(id)) : OptionalLong.empty();
  }
}
