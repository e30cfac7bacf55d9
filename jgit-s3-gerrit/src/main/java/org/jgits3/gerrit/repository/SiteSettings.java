// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.repository;

import com.google.gerrit.server.config.SitePaths;
import java.io.IOException;
import java.util.Optional;
import org.eclipse.jgit.errors.ConfigInvalidException;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.storage.file.FileBasedConfig;
import org.eclipse.jgit.util.FS;
import org.jgits3.S3Settings;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentials;

/**
 * Settings of a site: the sections {@code [s3 ...]} and {@code [core "dfs"]} of {@code
 * gerrit.config} over {@code etc/jgit.config}, and the credentials of {@code secure.config}.
 *
 * @param settings settings of the library
 * @param credentials credentials of the store; empty to take those of the AWS default chain
 */
record SiteSettings(S3Settings settings, Optional<AwsCredentials> credentials) {
  private static final String SECTION = "s3";
  private static final String KEY = "accessKeyId";
  private static final String SECRET = "secretAccessKey";

  /**
   * Reads the settings.
   *
   * @param site the site
   * @param gerrit {@code gerrit.config}, with {@code secure.config} before it
   * @return the settings
   * @throws IOException if {@code jgit.config} cannot be read
   * @throws ConfigInvalidException if a key is not known, or no store is set, with one line that
   *     says so
   */
  static SiteSettings read(SitePaths site, Config gerrit)
      throws IOException, ConfigInvalidException {
    FileBasedConfig jgit = new FileBasedConfig(site.jgit_config.toFile(), FS.DETECTED);
    jgit.load();
    Config config = new Config(jgit);
    copySection(gerrit, config);
    copy(gerrit, config, "core", "dfs");
    String source = site.gerrit_config + " over " + site.jgit_config;
    for (String section : gerrit.getSections()) {
      if (section.startsWith(SECTION + ".")) {
        config.setString(section, null, "misplaced", ""); // refused by the library, in its words
      }
    }
    S3Settings settings = S3Settings.from(config, source);
    if (config.getString(SECTION, null, "store") == null) {
      throw new ConfigInvalidException(
          site.gerrit_config + ": [s3] store is not set; write store = s3://BUCKET/PREFIX");
    }
    return new SiteSettings(settings, credentials(site, gerrit));
  }

  private static void copySection(Config from, Config to) {
    copy(from, to, SECTION, null);
    for (String subsection : from.getSubsections(SECTION)) {
      copy(from, to, SECTION, subsection);
    }
  }

  private static void copy(Config from, Config to, String section, String subsection) {
    for (String name : from.getNames(section, subsection, true)) {
      if (!name.equalsIgnoreCase(KEY) && !name.equalsIgnoreCase(SECRET)) {
        to.setString(section, subsection, name, from.getString(section, subsection, name));
      }
    }
  }

  private static Optional<AwsCredentials> credentials(SitePaths site, Config gerrit)
      throws ConfigInvalidException {
    String key = gerrit.getString(SECTION, null, KEY);
    String secret = gerrit.getString(SECTION, null, SECRET);
    if ((key == null) != (secret == null)) {
      throw new ConfigInvalidException(
          site.secure_config + ": [s3] needs both " + KEY + " and " + SECRET + ", or neither");
    }
    return key == null ? Optional.empty() : Optional.of(AwsBasicCredentials.create(key, secret));
  }
}
