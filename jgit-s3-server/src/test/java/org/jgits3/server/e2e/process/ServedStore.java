// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.e2e.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jgits3.Stores;
import org.jgits3.internal.store.probe.Markers;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.StoreKind;
import org.jgits3.store.StoreLocation;
import org.jgits3.testing.S3Server;
import org.jgits3.testing.S3Servers;

/**
 * A store as the command line is told of it.
 *
 * @param url what {@code --store} gets
 * @param config what {@code --config} gets
 * @param environment where credentials come from
 */
public record ServedStore(String url, Optional<Path> config, Map<String, String> environment) {
  private static final String MAIN = "[init]\n\tdefaultBranch = main\n";

  /** An empty store of a kind, which is known to be good. */
  public static ServedStore of(StoreKind kind, Path scratch) throws IOException {
    return kind == StoreKind.BUCKET ? bucket(S3Servers.require(), scratch) : directory(scratch);
  }

  /** A store in the directory {@code store} of a scratch directory. */
  public static ServedStore directory(Path scratch) throws IOException {
    Path config = Files.writeString(scratch.resolve("jgit-s3.config"), MAIN);
    return new ServedStore("file:" + scratch.resolve("store"), Optional.of(config), Map.of());
  }

  /** A store in a bucket of its own, below a prefix, of a server that is known to be good. */
  public static ServedStore bucket(S3Server server, Path scratch) throws IOException {
    ServedStore store = unknownBucket(server, server.endpoint(), scratch);
    store.mark(server.endpoint());
    return store;
  }

  /** A store in a bucket of its own, below a prefix, which is probed before its first use. */
  public static ServedStore unknownBucket(S3Server server, URI endpoint, Path scratch)
      throws IOException {
    String url = "s3://" + server.newBucket().bucket() + "/some/prefix";
    return new ServedStore(url, Optional.of(configFor(endpoint, scratch)), server.environment());
  }

  /** Spares the commands the probe of the store at an endpoint, without a request to it. */
  private void mark(URI endpoint) throws IOException {
    Markers.mark(S3Servers.require(), StoreLocation.parse(url), endpoint);
  }

  /** Writes a config file that leads to an S3 server. */
  public static Path configFor(URI endpoint, Path scratch) throws IOException {
    return Files.writeString(
        scratch.resolve("jgit-s3.config"),
        MAIN + "[s3]\n\tendpoint = " + endpoint + "\n\tpathStyle = true\n\tregion = us-east-1\n");
  }

  /** The same store entered with another environment variable. */
  public ServedStore with(String variable, String value) {
    Map<String, String> changed = new HashMap<>(environment);
    changed.put(variable, value);
    return new ServedStore(url, config, Map.copyOf(changed));
  }

  /** Another store at the same place. */
  public ServedStore at(String otherUrl) {
    return new ServedStore(otherUrl, config, environment);
  }

  /** The same bucket reached at another endpoint, which is known to be good. */
  public ServedStore through(URI endpoint, Path directory) throws IOException {
    mark(endpoint);
    return new ServedStore(url, Optional.of(configFor(endpoint, directory)), environment);
  }

  /** Number of uploads to its bucket that were begun and not ended. */
  public int unfinishedUploads() throws IOException {
    try (ObjectStore bucket =
        Stores.open(StoreLocation.parse(url), S3Servers.require().options())) {
      return bucket.listMultipart("").size();
    }
  }

  /** Keys of all objects in its bucket. */
  public List<String> keys() throws IOException {
    List<String> keys = new ArrayList<>();
    try (ObjectStore bucket =
        Stores.open(StoreLocation.parse(url), S3Servers.require().options())) {
      bucket.list("", object -> keys.add(object.key()));
    }
    return keys;
  }

  /** The command line of a JVM that runs a command here. */
  public List<String> line(String... args) {
    List<String> all = new ArrayList<>(options());
    all.addAll(List.of(args));
    return Command.javaCommand(Command.BRIEF, all);
  }

  /** Starts a command here, in a JVM of its own. */
  public Process start(Path out, Path err, String... args) throws IOException {
    return Command.start(line(args), environment, out.toFile(), err.toFile());
  }

  /** Runs a command that is killed once it has sent so many bytes; false if it ended before. */
  public boolean killed(long bytes, Path scratch, String... args)
      throws IOException, InterruptedException {
    try (PausingProxy proxy = PausingProxy.before(S3Servers.require().endpoint(), bytes)) {
      ServedStore slow = through(proxy.uri(), Files.createTempDirectory(scratch, "slow"));
      Path out = Files.createTempFile(scratch, "doomed", ".out");
      Process doomed = slow.start(out, out, args);
      boolean paused = proxy.awaitPause(doomed);
      if (!paused) {
        assertThat(doomed.waitFor()).as(Files.readString(out)).isZero();
        return false;
      }
      doomed.destroyForcibly().waitFor();
      return true;
    }
  }

  /** The global options that lead a command here. */
  public List<String> options() {
    List<String> options = new ArrayList<>();
    config.ifPresent(file -> options.addAll(List.of("--config", file.toString())));
    options.addAll(List.of("--store", url));
    return options;
  }
}
