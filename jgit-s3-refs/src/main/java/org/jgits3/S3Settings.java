// SPDX-License-Identifier: Apache-2.0
package org.jgits3;

import java.io.IOException;
import java.net.URI;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.eclipse.jgit.annotations.Nullable;
import org.eclipse.jgit.errors.ConfigInvalidException;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.util.SystemReader;
import org.jgits3.manifest.CommitPolicy;
import org.jgits3.manifest.ManifestReads;
import org.jgits3.pack.BlockCache;
import org.jgits3.pack.SpillDirectory;
import org.jgits3.refs.Validation;
import org.jgits3.store.DiskCache;
import org.jgits3.store.StoreLocation;
import org.jgits3.store.StoreOptions;
import org.jgits3.store.UploadOptions;

/**
 * Everything an administrator can set, read from the {@code [s3]} sections of a jgit config. Keys
 * are documented in {@code src/site/markdown/configuration.md}.
 *
 * @param location where the store is
 * @param options how to reach it
 * @param commits how long a commit is tried
 * @param validation when look-ups of refs ask the store
 * @param trustETag whether a validator that is the same stands for bytes that are the same when
 *     refs are looked up
 * @param cacheLimit bytes of refs kept in memory, all repositories together
 * @param keepRawBytes whether any are kept between look-ups
 * @param spillDirectory where large packs go while they are received
 * @param receiveLimit bytes of memory for the objects of pushes, all together
 * @param indexLimit bytes of pack indexes kept in memory, all repositories together
 * @param manifestLimit bytes of memory for repositories that are known and may be in use by nobody,
 *     their manifests above all, all together
 * @param diskCache where objects are kept locally as well; empty if they are not
 * @param uploads memory for uploads, all repositories together
 * @param collectAfter how old a pack that no collection has made gets before a process that
 *     maintains repositories collects its repository; empty if none does by itself
 * @param config the config the settings came from, for JGit's own sections ({@code [core "dfs"]},
 *     {@code [receive]} ...)
 */
public record S3Settings(
    StoreLocation location,
    StoreOptions options,
    CommitPolicy commits,
    Validation validation,
    boolean trustETag,
    long cacheLimit,
    boolean keepRawBytes,
    Path spillDirectory,
    long receiveLimit,
    long indexLimit,
    long manifestLimit,
    Optional<DiskCache.Options> diskCache,
    UploadOptions uploads,
    Optional<Duration> collectAfter,
    Config config) {
  /** Name of the section of all settings. */
  public static final String SECTION = "s3";

  /** Store that is used where none is set. */
  public static final String DEFAULT_STORE = "file:./data";

  private static final String STORE = "store";
  private static final String ENDPOINT = "endpoint";
  private static final String REGION = "region";
  private static final String PATH_STYLE = "pathStyle";
  private static final String CONNECTIONS = "connections";
  private static final String REQUEST_DEADLINE = "requestDeadline";
  private static final String COMMIT_DEADLINE = "commitDeadline";
  private static final String MANIFEST_LIMIT = "manifestLimit";

  private static final String REFS = "refs";
  private static final String VALIDATE = "validate";
  private static final String TRUST_ETAG = "trustETag";
  private static final String CACHE_LIMIT = "cacheLimit";
  private static final String KEEP_RAW_BYTES = "keepRawBytes";

  private static final String RECEIVE = "receive";
  private static final String SPILL_DIRECTORY = "spillDirectory";
  private static final String MEMORY_LIMIT = "memoryLimit";

  private static final String PACKS = "packs";
  private static final String INDEX_LIMIT = "indexLimit";

  private static final String CACHE = "cache";
  private static final String DIRECTORY = "directory";
  private static final String LIMIT = "limit";

  private static final String UPLOAD = "upload";
  private static final String PART_SIZE = "partSize";
  private static final String BUFFERS = "buffers";

  private static final String MAINTENANCE = "maintenance";
  private static final String GC = "gc";

  /** All keys that may be set, by subsection; the empty one is {@code [s3]} itself. */
  private static final Map<String, Set<String>> KEYS =
      Map.of(
          "",
          Set.of(
              STORE,
              ENDPOINT,
              REGION,
              PATH_STYLE,
              CONNECTIONS,
              REQUEST_DEADLINE,
              COMMIT_DEADLINE,
              MANIFEST_LIMIT),
          REFS,
          Set.of(VALIDATE, TRUST_ETAG, CACHE_LIMIT, KEEP_RAW_BYTES),
          RECEIVE,
          Set.of(SPILL_DIRECTORY, MEMORY_LIMIT),
          PACKS,
          Set.of(INDEX_LIMIT),
          CACHE,
          Set.of(DIRECTORY, LIMIT),
          UPLOAD,
          Set.of(PART_SIZE, BUFFERS),
          MAINTENANCE,
          Set.of(GC));

  /** How old packs get before a server collects them unless somebody says otherwise. */
  private static final Duration COLLECT_AFTER = Duration.ofDays(1);

  /** Part of the heap that refs may take unless somebody sets a limit. */
  private static final int HEAP_SHARE = 4;

  /** Part of the heap that the objects of pushes may take unless somebody sets a limit. */
  private static final int RECEIVE_HEAP_SHARE = 4;

  /** Part of the heap that pack indexes may take unless somebody sets a limit. */
  private static final int INDEX_HEAP_SHARE = 8;

  /** Part of the heap that known repositories may take unless somebody sets a limit. */
  private static final int MANIFEST_HEAP_SHARE = 16;

  /** Bytes of a local disk that objects may take unless somebody sets a limit. */
  private static final long DISK_LIMIT = 10L << 30;

  private static final int MAX_CONNECTIONS = 10_000;

  /**
   * Reads settings.
   *
   * @param config config to read
   * @param source where it came from, for messages: a file name
   * @return the settings
   * @throws ConfigInvalidException for an unknown key in an {@code [s3]} section or a wrong value,
   *     with one line that names source, section and key
   */
  public static S3Settings from(Config config, String source) throws ConfigInvalidException {
    checkKeys(config, source);
    checkBlockCache(config, source);
    Reader reader = new Reader(config, source, null);
    Reader refs = new Reader(config, source, REFS);
    StoreOptions defaults = StoreOptions.DEFAULT;
    return new S3Settings(
        reader.location(),
        new StoreOptions(
            reader.endpoint(),
            Optional.ofNullable(config.getString(SECTION, null, REGION)),
            reader.flag(PATH_STYLE, defaults.pathStyle()),
            reader.number(CONNECTIONS, defaults.connections(), 1, MAX_CONNECTIONS),
            reader.duration(REQUEST_DEADLINE, defaults.requestDeadline())),
        new CommitPolicy(reader.duration(COMMIT_DEADLINE, CommitPolicy.DEFAULT.deadline())),
        refs.validation(),
        refs.trustETag(),
        refs.bytes(CACHE_LIMIT, Runtime.getRuntime().maxMemory() / HEAP_SHARE),
        refs.flag(KEEP_RAW_BYTES, true),
        new Reader(config, source, RECEIVE).directory(SPILL_DIRECTORY),
        new Reader(config, source, RECEIVE)
            .bytes(MEMORY_LIMIT, Runtime.getRuntime().maxMemory() / RECEIVE_HEAP_SHARE),
        new Reader(config, source, PACKS)
            .bytes(INDEX_LIMIT, Runtime.getRuntime().maxMemory() / INDEX_HEAP_SHARE),
        reader.bytes(MANIFEST_LIMIT, Runtime.getRuntime().maxMemory() / MANIFEST_HEAP_SHARE),
        new Reader(config, source, CACHE).diskCache(),
        new Reader(config, source, UPLOAD).uploads(),
        new Reader(config, source, MAINTENANCE).collectAfter(),
        config);
  }

  /**
   * Reads settings from a file.
   *
   * @param file jgit config file
   * @return the settings
   * @throws IOException if it cannot be read
   * @throws ConfigInvalidException as {@link #from}
   */
  public static S3Settings load(Path file) throws IOException, ConfigInvalidException {
    Config config = new Config();
    try {
      config.fromText(Files.readString(file));
    } catch (NoSuchFileException e) {
      throw new IOException(file + ": no such config file", e);
    } catch (ConfigInvalidException e) {
      throw new ConfigInvalidException(file + ": " + e.getMessage(), e);
    } catch (FileSystemException e) {
      throw e; // its message names the file
    } catch (IOException e) {
      throw new IOException(file + ": " + e.getMessage(), e); // a directory, for one
    }
    return from(config, file.toString());
  }

  /**
   * Reads settings from the user's jgit config, as {@code SystemReader} finds it.
   *
   * @return the settings
   * @throws IOException if it cannot be read
   * @throws ConfigInvalidException as {@link #from}
   */
  public static S3Settings ofUser() throws IOException, ConfigInvalidException {
    return from(SystemReader.getInstance().getJGitConfig(), "the user's jgit config");
  }

  /**
   * These settings for another store.
   *
   * @param other where that store is
   * @return a copy
   */
  public S3Settings withLocation(StoreLocation other) {
    return new S3Settings(
        other,
        options,
        commits,
        validation,
        trustETag,
        cacheLimit,
        keepRawBytes,
        spillDirectory,
        receiveLimit,
        indexLimit,
        manifestLimit,
        diskCache,
        uploads,
        collectAfter,
        config);
  }

  /** How manifests are read when they may have changed. */
  ManifestReads manifestReads() {
    if (trustETag) {
      return ManifestReads.VALIDATED;
    }
    return keepRawBytes ? ManifestReads.COMPARED : ManifestReads.DECODED;
  }

  /** Bytes of tables that may be kept between look-ups. */
  long tableLimit() {
    return keepRawBytes ? cacheLimit : 0;
  }

  /** Where large packs go while they are received. */
  SpillDirectory spills() {
    return new SpillDirectory(spillDirectory);
  }

  private static void checkKeys(Config config, String source) throws ConfigInvalidException {
    checkSections(config, source);
    Set<String> subsections = new TreeSet<>(config.getSubsections(SECTION));
    subsections.add("");
    for (String subsection : subsections) {
      Set<String> known = KEYS.get(subsection);
      String header = header(subsection);
      if (known == null) {
        throw unknownSection(source, header);
      }
      for (String key : config.getNames(SECTION, subsection.isEmpty() ? null : subsection)) {
        if (!contains(known, key)) {
          throw new ConfigInvalidException(
              source + ": " + header + ": unknown key " + key + elsewhere(key, known));
        }
      }
    }
  }

  /** Refuses {@code [s3.refs]}, which JGit takes for a section of another name. */
  private static void checkSections(Config config, String source) throws ConfigInvalidException {
    for (String section : config.getSections()) {
      if (section.toLowerCase(Locale.ROOT).startsWith(SECTION + ".")) {
        throw unknownSection(source, "[" + section + "]");
      }
    }
  }

  private static ConfigInvalidException unknownSection(String source, String header) {
    String known =
        KEYS.keySet().stream().sorted().map(S3Settings::header).collect(Collectors.joining(", "));
    return new ConfigInvalidException(
        source + ": " + header + ": unknown section; known are " + known);
  }

  private static boolean contains(Set<String> known, String key) {
    return known.stream().anyMatch(key::equalsIgnoreCase);
  }

  private static String elsewhere(String key, Set<String> known) {
    return KEYS.entrySet().stream()
        .filter(section -> contains(section.getValue(), key))
        .map(section -> "; it belongs into " + header(section.getKey()))
        .findFirst()
        .orElse("; known are " + sorted(known));
  }

  private static void checkBlockCache(Config config, String source) throws ConfigInvalidException {
    try {
      BlockCache.configuration(config, Runtime.getRuntime().maxMemory());
    } catch (IllegalArgumentException e) {
      throw new ConfigInvalidException(source + ": [core \"dfs\"]: " + e.getMessage(), e);
    }
  }

  private static String header(String subsection) {
    return subsection.isEmpty() ? "[s3]" : "[s3 \"" + subsection + "\"]";
  }

  private static String sorted(Set<String> keys) {
    return String.join(", ", new TreeSet<>(keys));
  }

  /** Reads single values of one section, and says where a wrong one stands. */
  private record Reader(Config config, String source, @Nullable String subsection) {
    /** No duration can be negative; JGit 7.4 returns the default for one it cannot read. */
    private static final long UNREADABLE = -1;

    StoreLocation location() throws ConfigInvalidException {
      String url = text(STORE);
      try {
        return StoreLocation.parse(url == null ? DEFAULT_STORE : url);
      } catch (IllegalArgumentException e) {
        throw wrong(STORE, e.getMessage(), e);
      }
    }

    Optional<URI> endpoint() throws ConfigInvalidException {
      String url = text(ENDPOINT);
      if (url == null) {
        return Optional.empty();
      }
      try {
        URI uri = URI.create(url);
        if (uri.getUserInfo() != null) {
          throw wrong(ENDPOINT, "credentials do not belong there; see AWS_ACCESS_KEY_ID", null);
        }
        if (uri.getHost() != null && Set.of("http", "https").contains(uri.getScheme())) {
          return Optional.of(uri);
        }
        throw wrong(ENDPOINT, "'" + url + "' is no http or https URL", null);
      } catch (IllegalArgumentException e) {
        throw wrong(ENDPOINT, "'" + url + "' is no http or https URL", e);
      }
    }

    boolean flag(String key, boolean otherwise) throws ConfigInvalidException {
      try {
        return config.getBoolean(SECTION, subsection, key, otherwise);
      } catch (IllegalArgumentException e) {
        throw wrong(key, "'" + text(key) + "' is neither true nor false", e);
      }
    }

    int number(String key, int otherwise, int least, int most) throws ConfigInvalidException {
      try {
        int n = config.getInt(SECTION, subsection, key, otherwise);
        if (n >= least && n <= most) {
          return n;
        }
      } catch (IllegalArgumentException e) {
        throw wrong(key, "'" + text(key) + "' is no number", e);
      }
      throw wrong(key, "'" + text(key) + "' is not from " + least + " to " + most, null);
    }

    Duration duration(String key, Duration otherwise) throws ConfigInvalidException {
      if (text(key) == null) {
        return otherwise;
      }
      Duration read = duration(key, "no duration such as '30 s'");
      if (read.isZero()) {
        throw wrong(key, "'" + text(key) + "' is not more than 0", null);
      }
      return read;
    }

    private Duration duration(String key, String what) throws ConfigInvalidException {
      String text = text(key);
      if (text.strip().matches("[+-]?\\d+")) {
        String number = text.strip();
        throw wrong(
            key,
            "'" + text + "' has no unit; write '" + number + " s' or '" + number + " min'",
            null);
      }
      try {
        long ms = config.getTimeUnit(SECTION, subsection, key, UNREADABLE, TimeUnit.MILLISECONDS);
        if (ms != UNREADABLE) {
          return Duration.ofMillis(ms);
        }
      } catch (IllegalArgumentException e) {
        throw wrong(key, "'" + text + "' is " + what, e);
      }
      throw wrong(key, "'" + text + "' is " + what, null);
    }

    Validation validation() throws ConfigInvalidException {
      String text = text(VALIDATE);
      if (text == null || "always".equalsIgnoreCase(text)) {
        return Validation.ALWAYS;
      }
      if ("afterOpen".equalsIgnoreCase(text)) {
        return new Validation.AfterOpen();
      }
      Duration window =
          duration(VALIDATE, "neither always nor afterOpen nor a duration such as '5 s'");
      return window.isZero() ? Validation.ALWAYS : new Validation.Within(window);
    }

    Optional<Duration> collectAfter() throws ConfigInvalidException {
      String text = text(GC);
      if (text == null) {
        return Optional.of(COLLECT_AFTER);
      }
      if ("never".equalsIgnoreCase(text)) {
        return Optional.empty();
      }
      Duration age = duration(GC, "neither never nor a duration such as '1 day'");
      if (age.isZero()) {
        throw wrong(GC, "'" + text + "' is not more than 0", null);
      }
      return Optional.of(age);
    }

    boolean trustETag() throws ConfigInvalidException {
      String text = text(TRUST_ETAG);
      if (text == null || "always".equalsIgnoreCase(text)) {
        return true;
      }
      if ("never".equalsIgnoreCase(text)) {
        return false;
      }
      throw wrong(TRUST_ETAG, "'" + text + "' is neither always nor never", null);
    }

    long bytes(String key, long otherwise) throws ConfigInvalidException {
      try {
        long n = config.getLong(SECTION, subsection, key, otherwise);
        if (n >= 0) {
          return n;
        }
      } catch (IllegalArgumentException e) {
        throw wrong(key, "'" + text(key) + "' is no number of bytes such as '512m'", e);
      }
      throw wrong(key, "'" + text(key) + "' is less than 0", null);
    }

    /** A local directory; that of Java for temporary files if none is set. */
    Path directory(String key) throws ConfigInvalidException {
      String text = text(key);
      try {
        return Path.of(text == null ? System.getProperty("java.io.tmpdir") : text);
      } catch (InvalidPathException e) {
        throw wrong(key, "'" + text + "' is no path", e);
      }
    }

    Optional<DiskCache.Options> diskCache() throws ConfigInvalidException {
      long limit = bytes(LIMIT, DISK_LIMIT);
      return text(DIRECTORY) == null
          ? Optional.empty()
          : Optional.of(new DiskCache.Options(directory(DIRECTORY), limit));
    }

    UploadOptions uploads() throws ConfigInvalidException {
      int partSize =
          number(
              PART_SIZE,
              UploadOptions.DEFAULT_PART_SIZE,
              UploadOptions.MIN_PART_SIZE,
              UploadOptions.MAX_PART_SIZE);
      int buffers = UploadOptions.ofPartSize(partSize).buffers();
      return new UploadOptions(partSize, number(BUFFERS, buffers, 1, UploadOptions.MAX_BUFFERS));
    }

    @Nullable
    private String text(String key) {
      return config.getString(SECTION, subsection, key);
    }

    private ConfigInvalidException wrong(String key, String what, Throwable cause) {
      return new ConfigInvalidException(
          source + ": " + header(subsection == null ? "" : subsection) + " " + key + ": " + what,
          cause);
    }
  }
}
