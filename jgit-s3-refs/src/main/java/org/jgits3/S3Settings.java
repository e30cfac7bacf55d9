// SPDX-License-Identifier: Apache-2.0
package org.jgits3;

import java.io.IOException;
import java.nio.file.Path;
import org.eclipse.jgit.errors.ConfigInvalidException;
import org.eclipse.jgit.lib.Config;
import org.jgits3.store.StoreLocation;
import org.jgits3.store.StoreOptions;

/**
 * Everything an administrator can set, read from the {@code [s3]} sections of a jgit config. Keys
 * are documented in {@code src/site/markdown/configuration.md}.
 *
 * @param location where the store is
 * @param options how to reach it
 * @param config the config the settings came from, for JGit's own sections ({@code [core "dfs"]},
 *     {@code [receive]} ...)
 */
public record S3Settings(StoreLocation location, StoreOptions options, Config config) {
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
    throw new UnsupportedOperationException(source);
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
    throw new UnsupportedOperationException(file.toString());
  }

  /**
   * Reads settings from the user's jgit config, as {@code SystemReader} finds it.
   *
   * @return the settings
   * @throws IOException if it cannot be read
   * @throws ConfigInvalidException as {@link #from}
   */
  public static S3Settings ofUser() throws IOException, ConfigInvalidException {
    throw new UnsupportedOperationException();
  }
}
