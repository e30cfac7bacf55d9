// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack;

import java.io.IOException;
import java.text.ParseException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.lib.ConfigConstants;
import org.eclipse.jgit.util.GitTimeParser;
import org.eclipse.jgit.util.SystemReader;

/**
 * Age at which a collection may drop packs of garbage: {@code gc.pruneExpire}, Git's own key, two
 * weeks by default.
 *
 * @param before garbage packed then or earlier has expired; empty if none ever expires
 */
public record GarbageExpiry(Optional<Instant> before) {
  private static final String NEVER = "never";
  private static final String DEFAULT = "2.weeks.ago";

  /**
   * Reads the expiry from a configuration, as of now.
   *
   * @param config configuration of a repository, on top of the administrator's
   * @param repository its name, for messages
   * @return when garbage expires
   * @throws IOException if the value is no time; the message names it
   */
  public static GarbageExpiry of(Config config, String repository) throws IOException {
    String text =
        config.getString(
            ConfigConstants.CONFIG_GC_SECTION, null, ConfigConstants.CONFIG_KEY_PRUNEEXPIRE);
    String expire = text == null ? DEFAULT : text;
    if (expire.equalsIgnoreCase(NEVER)) {
      return new GarbageExpiry(Optional.empty());
    }
    try {
      return new GarbageExpiry(Optional.of(GitTimeParser.parseInstant(expire)));
    } catch (ParseException e) {
      throw new IOException("gc.pruneExpire of " + repository + " is no time: " + expire, e);
    }
  }

  /**
   * The same as an age, which JGit's collector wants.
   *
   * @return milliseconds, at least 1; zero if garbage never expires
   */
  public long ttlMillis() {
    Instant now = SystemReader.getInstance().now();
    return before.map(b -> Math.max(1, Duration.between(b, now).toMillis())).orElse(0L);
  }

  /**
   * Tests whether garbage may be dropped.
   *
   * @param packed when it was packed, in milliseconds since the epoch
   * @return true if it has expired
   */
  public boolean isOver(long packed) {
    return before.isPresent() && packed <= before.get().toEpochMilli();
  }

  /**
   * Finds when garbage may be dropped.
   *
   * @param packed when it was packed, in milliseconds since the epoch
   * @return the moment; {@link Instant#MAX} if it never expires
   */
  public Instant end(long packed) {
    return before.isEmpty() ? Instant.MAX : Instant.ofEpochMilli(packed).plusMillis(ttlMillis());
  }
}
