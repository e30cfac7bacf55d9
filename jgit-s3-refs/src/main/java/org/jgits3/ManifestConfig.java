// SPDX-License-Identifier: Apache-2.0
package org.jgits3;

import java.io.IOException;
import org.eclipse.jgit.errors.ConfigInvalidException;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.lib.StoredConfig;
import org.jgits3.manifest.ManifestCommitter;
import org.jgits3.manifest.Proposal;
import org.jgits3.manifest.RepositorySettings;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A repository's Git configuration, kept in its manifest, with the administrator's settings for
 * what it does not set.
 */
final class ManifestConfig extends StoredConfig {
  private static final Logger LOG = LoggerFactory.getLogger(ManifestConfig.class);

  private final ManifestCommitter committer;

  /** Stored text that the values in memory were read from; guarded by this. */
  private String loaded = "";

  ManifestConfig(Config defaults, ManifestCommitter committer) {
    super(defaults);
    this.committer = committer;
  }

  /** This configuration, read again if the newest manifest known has another text. */
  synchronized ManifestConfig current() {
    String text = stored();
    if (!text.equals(loaded)) {
      try {
        load();
      } catch (IOException | ConfigInvalidException e) {
        LOG.warn("repository configuration was not read: {}", e.getMessage());
      }
    }
    return this;
  }

  private String stored() {
    return committer.cached().map(v -> v.manifest().settings().config()).orElse("");
  }

  @Override
  public synchronized void load() throws IOException, ConfigInvalidException {
    String text = stored();
    fromText(text);
    loaded = text;
  }

  /**
   * Commits the values in memory.
   *
   * @throws IOException if somebody else changed the configuration since it was loaded; load it,
   *     make the change again, then save
   */
  @Override
  public synchronized void save() throws IOException {
    String text = toText();
    String before = loaded;
    boolean saved =
        committer.commit(
            base -> {
              RepositorySettings s = base.settings();
              if (s.config().equals(text)) {
                return Proposal.noEdit(true);
              }
              if (!s.config().equals(before)) {
                return Proposal.noEdit(false);
              }
              return Proposal.edit(
                  base.withSettings(new RepositorySettings(text, s.description(), s.shallow())),
                  true);
            });
    if (!saved) {
      throw new IOException(
          "configuration was changed by somebody else; load it and change it again");
    }
    loaded = text;
  }
}
