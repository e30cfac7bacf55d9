// SPDX-License-Identifier: Apache-2.0
package org.jgits3;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.eclipse.jgit.errors.ConfigInvalidException;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.util.SystemReader;
import org.jgits3.internal.commit.ManifestCommitter;
import org.jgits3.internal.pack.file.BlockCache;
import org.jgits3.internal.pack.file.SpillDirectory;
import org.jgits3.internal.pack.limit.TransferLimits;
import org.jgits3.internal.store.cache.DiskCache;
import org.jgits3.store.Freshness;
import org.jgits3.store.StoreLocation;
import org.jgits3.store.StoreOptions;
import org.jgits3.store.UploadOptions;

/**
 * Everything an administrator can set, read from the {@code [s3]} sections of a jgit config. Keys
 * are documented in {@code src/site/markdown/configuration.md}. Immutable.
 */
public final class S3Settings {
  /** Name of the section of all settings. */
  public static final String SECTION = "s3";

  /** Default store. */
  public static final String DEFAULT_STORE = "file:./data";

  private static final long HEAP = Runtime.getRuntime().maxMemory();

  private static final Setting<StoreLocation> STORE =
      Setting.of(
          "",
          "store",
          StoreLocation.parse(DEFAULT_STORE),
          at -> Stores.known(StoreLocation.parse(at.text())));
  private static final Setting<Optional<URI>> ENDPOINT =
      Setting.optional("", "endpoint", S3Settings::endpoint);
  private static final Setting<Optional<String>> REGION =
      Setting.optional("", "region", text -> text);
  private static final Setting<Boolean> PATH_STYLE =
      Setting.flag("", "pathStyle", StoreOptions.DEFAULT.pathStyle());
  private static final Setting<Integer> CONNECTIONS =
      Setting.number("", "connections", StoreOptions.DEFAULT.connections(), 1, 10_000);
  private static final Setting<Duration> REQUEST_DEADLINE =
      Setting.duration("", "requestDeadline", StoreOptions.DEFAULT.requestDeadline());
  private static final Setting<Duration> COMMIT_DEADLINE =
      Setting.duration("", "commitDeadline", ManifestCommitter.DEADLINE);
  private static final Setting<Long> MANIFEST_LIMIT = Setting.bytes("", "manifestLimit", HEAP / 16);
  private static final Setting<Supplier<Freshness>> VALIDATE =
      Setting.of("refs", "validate", () -> Freshness.ALWAYS, S3Settings::freshness);
  private static final Setting<Boolean> TRUST_ETAG =
      Setting.word("refs", "trustETag", "always", "never");
  private static final Setting<Long> CACHE_LIMIT = Setting.bytes("refs", "cacheLimit", HEAP / 4);
  private static final Setting<Boolean> KEEP_RAW_BYTES = Setting.flag("refs", "keepRawBytes", true);
  private static final Setting<Path> SPILL_DIRECTORY =
      new Setting<>(
          "receive",
          "spillDirectory",
          at -> path(at.text() == null ? System.getProperty("java.io.tmpdir") : at.text()));
  private static final Setting<Long> RECEIVE_LIMIT =
      Setting.bytes("receive", "memoryLimit", HEAP / 4);

  /** Collections by JGit add up to 50 each to a chain. */
  private static final Setting<Integer> DELTA_DEPTH =
      Setting.number("receive", "deltaDepth", 1 << 16, 1, Integer.MAX_VALUE);

  private static final Setting<Duration> PROCESSOR_TIME =
      Setting.duration("receive", "processorTime", Duration.ofHours(6));
  private static final Setting<Long> INDEX_LIMIT = Setting.bytes("packs", "indexLimit", HEAP / 8);
  private static final Setting<Optional<Path>> CACHE_DIRECTORY =
      Setting.optional("cache", "directory", S3Settings::path);
  private static final Setting<Long> DISK_LIMIT = Setting.bytes("cache", "limit", 10L << 30);
  private static final Setting<Integer> PART_SIZE =
      Setting.number(
          "upload",
          "partSize",
          UploadOptions.DEFAULT_PART_SIZE,
          UploadOptions.MIN_PART_SIZE,
          UploadOptions.MAX_PART_SIZE);

  /** Number of part buffers. The default 0, which cannot be set, stands for as many as fit. */
  private static final Setting<Integer> BUFFERS =
      Setting.number("upload", "buffers", 0, 1, UploadOptions.MAX_BUFFERS);

  private static final Setting<Optional<Duration>> COLLECT_AFTER =
      Setting.of("maintenance", "gc", Optional.of(Duration.ofDays(1)), S3Settings::collectAfter);

  private static final Setting<Optional<InetSocketAddress>> MONITOR =
      Setting.optional("server", "monitor", S3Settings::address);

  /** All keys that may be set. */
  private static final List<Setting<?>> ALL =
      List.of(
          STORE,
          ENDPOINT,
          REGION,
          PATH_STYLE,
          CONNECTIONS,
          REQUEST_DEADLINE,
          COMMIT_DEADLINE,
          MANIFEST_LIMIT,
          VALIDATE,
          TRUST_ETAG,
          CACHE_LIMIT,
          KEEP_RAW_BYTES,
          SPILL_DIRECTORY,
          RECEIVE_LIMIT,
          DELTA_DEPTH,
          PROCESSOR_TIME,
          INDEX_LIMIT,
          CACHE_DIRECTORY,
          DISK_LIMIT,
          PART_SIZE,
          BUFFERS,
          COLLECT_AFTER,
          MONITOR);

  private final IdentityHashMap<Setting<?>, Object> values;
  private final Config config;

  private S3Settings(IdentityHashMap<Setting<?>, Object> values, Config config) {
    this.values = values; // by identity, since each setting is a constant
    this.config = config;
  }

  /**
   * Reads settings.
   *
   * @param config config to read; settings that it lacks are taken from its base
   * @param source its origin, for messages: a file name
   * @return the settings
   * @throws ConfigInvalidException for an unknown key in an {@code [s3]} section or a wrong value,
   *     with one line that names source, section and key
   */
  public static S3Settings from(Config config, String source) throws ConfigInvalidException {
    checkKeys(config, source);
    checkBlockCache(config, source);
    IdentityHashMap<Setting<?>, Object> values = new IdentityHashMap<>();
    for (Setting<?> setting : ALL) {
      values.put(setting, setting.read(config, source));
    }
    return new S3Settings(values, config);
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
   * @param other location of that store
   * @return a copy
   * @throws IllegalArgumentException if no {@link ObjectStoreProvider} has the scheme of its URL
   */
  public S3Settings withLocation(StoreLocation other) {
    IdentityHashMap<Setting<?>, Object> changed = new IdentityHashMap<>(values);
    changed.put(STORE, Stores.known(other));
    return new S3Settings(changed, config);
  }

  /**
   * Location of the store.
   *
   * @return location of the repositories
   */
  public StoreLocation location() {
    return value(STORE);
  }

  /**
   * Options to reach the store.
   *
   * @return endpoint, region, connections and deadline
   */
  public StoreOptions options() {
    return new StoreOptions(
        value(ENDPOINT),
        value(REGION),
        value(PATH_STYLE),
        value(CONNECTIONS),
        value(REQUEST_DEADLINE));
  }

  /** Time that a commit is given. */
  Duration commitDeadline() {
    return value(COMMIT_DEADLINE);
  }

  /**
   * Answers of the store that look-ups of refs rely on, by {@code [s3 "refs"] validate}.
   *
   * @return answers for a handle that is opened now
   */
  Freshness freshness() {
    return value(VALIDATE).get();
  }

  /**
   * Trust in versions.
   *
   * @return true if look-ups of refs may take equal versions for equal bytes
   */
  public boolean trustETag() {
    return value(TRUST_ETAG);
  }

  /**
   * Memory for refs between look-ups.
   *
   * @return bytes, all repositories together
   */
  public long cacheLimit() {
    return value(CACHE_LIMIT);
  }

  /**
   * Use of memory for refs between look-ups.
   *
   * @return true if any are kept
   */
  public boolean keepRawBytes() {
    return value(KEEP_RAW_BYTES);
  }

  /**
   * Directory for large packs while they are received.
   *
   * @return a local directory
   */
  public Path spillDirectory() {
    return value(SPILL_DIRECTORY);
  }

  /**
   * Memory for the objects of pushes and fetches: {@code [s3 "receive"] memoryLimit}.
   *
   * @return bytes, all together
   */
  public long receiveLimit() {
    return value(RECEIVE_LIMIT);
  }

  /** Limits of the work of a push. */
  TransferLimits transferLimits() {
    return new TransferLimits(receiveLimit(), value(DELTA_DEPTH), value(PROCESSOR_TIME));
  }

  /**
   * Memory for pack indexes.
   *
   * @return bytes, all repositories together
   */
  public long indexLimit() {
    return value(INDEX_LIMIT);
  }

  /**
   * Memory for known repositories, which may be unused: mostly their manifests.
   *
   * @return bytes, all together
   */
  public long manifestLimit() {
    return value(MANIFEST_LIMIT);
  }

  /**
   * Local copies of objects.
   *
   * @return directory and limit; empty if there are none
   */
  Optional<DiskCache.Options> diskCache() {
    return value(CACHE_DIRECTORY)
        .map(directory -> new DiskCache.Options(directory, value(DISK_LIMIT)));
  }

  /**
   * Directory of local copies of objects.
   *
   * @return the directory, which need not exist; empty if there are none
   */
  public Optional<Path> cacheDirectory() {
    return value(CACHE_DIRECTORY);
  }

  /**
   * Sum of the limits of memory, which should leave some of the heap to other things.
   *
   * @return bytes of refs, manifests, indexes, transfers, uploads and blocks
   */
  public long limits() {
    UploadOptions uploads = uploads();
    return tableLimit()
        + manifestLimit()
        + indexLimit()
        + receiveLimit()
        + (long) uploads.partSize() * uploads.buffers()
        + BlockCache.limit(config, HEAP);
  }

  /**
   * Memory for uploads.
   *
   * @return the options, all repositories together
   */
  public UploadOptions uploads() {
    UploadOptions fitting = UploadOptions.ofPartSize(value(PART_SIZE));
    return value(BUFFERS) == 0 ? fitting : new UploadOptions(value(PART_SIZE), value(BUFFERS));
  }

  /**
   * Age at which a pack that no collection has written makes background maintenance collect its
   * repository.
   *
   * @return the age; empty if background maintenance never collects
   */
  public Optional<Duration> collectAfter() {
    return value(COLLECT_AFTER);
  }

  /**
   * Address at which a server answers monitors.
   *
   * @return the address; empty if monitors have none of their own
   */
  public Optional<InetSocketAddress> monitor() {
    return value(MONITOR);
  }

  /**
   * Config of JGit's own sections ({@code [core "dfs"]}, {@code [receive]} ...).
   *
   * @return the config that the settings came from
   */
  public Config config() {
    return config;
  }

  /** Bytes of tables that may be kept between look-ups. */
  long tableLimit() {
    return keepRawBytes() ? cacheLimit() : 0;
  }

  /** The directory for large packs while they are received. */
  SpillDirectory spills() {
    return new SpillDirectory(spillDirectory());
  }

  @SuppressWarnings("unchecked") // from() put it there as the setting's type
  private <T> T value(Setting<T> setting) {
    return (T) values.get(setting);
  }

  private static void checkKeys(Config config, String source) throws ConfigInvalidException {
    checkSections(config, source);
    Set<String> subsections = new TreeSet<>(config.getSubsections(SECTION));
    subsections.add("");
    for (String subsection : subsections) {
      if (known(subsection).isEmpty()) {
        throw unknownSection(source, Setting.header(subsection));
      }
      for (String key : config.getNames(SECTION, subsection.isEmpty() ? null : subsection, true)) {
        if (known(subsection).stream().noneMatch(key::equalsIgnoreCase)) {
          throw new ConfigInvalidException(
              source
                  + ": "
                  + Setting.header(subsection)
                  + ": unknown key "
                  + key
                  + remedy(key, subsection));
        }
      }
    }
  }

  /** Names of the keys of a subsection, sorted. */
  private static List<String> known(String subsection) {
    return ALL.stream()
        .filter(setting -> setting.subsection().equals(subsection))
        .map(Setting::name)
        .sorted()
        .toList();
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
        ALL.stream()
            .map(Setting::subsection)
            .distinct()
            .sorted()
            .map(Setting::header)
            .collect(Collectors.joining(", "));
    return new ConfigInvalidException(
        source + ": " + header + ": unknown section; known are " + known);
  }

  private static String remedy(String key, String subsection) {
    return ALL.stream()
        .filter(setting -> setting.name().equalsIgnoreCase(key))
        .map(setting -> "; it belongs into " + Setting.header(setting.subsection()))
        .findFirst()
        .orElse("; known are " + String.join(", ", known(subsection)));
  }

  private static void checkBlockCache(Config config, String source) throws ConfigInvalidException {
    try {
      BlockCache.configuration(config, Runtime.getRuntime().maxMemory());
    } catch (IllegalArgumentException e) {
      throw new ConfigInvalidException(source + ": [core \"dfs\"]: " + e.getMessage(), e);
    }
  }

  private static URI endpoint(String url) {
    URI uri;
    try {
      uri = URI.create(url);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("'" + url + "' is no http or https URL", e);
    }
    if (uri.getUserInfo() != null) {
      throw new IllegalArgumentException("credentials do not belong there; see AWS_ACCESS_KEY_ID");
    }
    if (uri.getHost() == null || !Set.of("http", "https").contains(uri.getScheme())) {
      throw new IllegalArgumentException("'" + url + "' is no http or https URL");
    }
    return uri;
  }

  /** Reads {@code HOST:PORT}; an IPv6 address stands in brackets. */
  private static InetSocketAddress address(String text) {
    try {
      URI uri = new URI("tcp", text, null, null, null);
      if (uri.getHost() == null || uri.getPort() < 0) {
        throw new IllegalArgumentException("'" + text + "' is not HOST:PORT");
      }
      InetSocketAddress address = new InetSocketAddress(uri.getHost(), uri.getPort());
      if (address.isUnresolved()) {
        throw new IllegalArgumentException("unknown host '" + uri.getHost() + "'");
      }
      return address;
    } catch (URISyntaxException e) {
      throw new IllegalArgumentException("'" + text + "' is not HOST:PORT", e);
    }
  }

  private static Supplier<Freshness> freshness(Setting.Place place) {
    if ("always".equalsIgnoreCase(place.text())) {
      return () -> Freshness.ALWAYS;
    }
    if ("afterOpen".equalsIgnoreCase(place.text())) {
      return () -> Freshness.since(System.nanoTime());
    }
    Freshness window =
        Freshness.within(
            place.duration("is neither always nor afterOpen nor a duration such as '5 s'"));
    return () -> window;
  }

  private static Optional<Duration> collectAfter(Setting.Place place) {
    return "never".equalsIgnoreCase(place.text())
        ? Optional.empty()
        : Optional.of(
            place.positive(place.duration("is neither never nor a duration such as '1 day'")));
  }

  private static Path path(String text) {
    try {
      return Path.of(text);
    } catch (InvalidPathException e) {
      throw new IllegalArgumentException("'" + text + "' is no path", e);
    }
  }
}
