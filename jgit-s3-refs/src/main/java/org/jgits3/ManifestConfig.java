// SPDX-License-Identifier: Apache-2.0
package org.jgits3;

import java.io.IOException;
import java.util.Optional;
import org.eclipse.jgit.errors.ConfigInvalidException;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.lib.StoredConfig;
import org.jgits3.internal.commit.ManifestCommitter;
import org.jgits3.internal.commit.Proposal;
import org.jgits3.manifest.RepositorySettings;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A repository's Git configuration, kept in its manifest, on top of the administrator's settings.
 */
final class ManifestConfig extends StoredConfig {
  private static final Logger LOG = LoggerFactory.getLogger(ManifestConfig.class);

  private final ManifestCommitter committer;

  /**
   * Stored text that the values in memory were read from; empty before the first read. Guarded by
   * this.
   */
  private Optional<String> loaded = Optional.empty();

  ManifestConfig(Config defaults, ManifestCommitter committer) {
    super(defaults);
    this.committer = committer;
  }

  /**
   * Returns this configuration, read again if its text in the newest known manifest has changed. In
   * that case notifies listeners, unless this is the first read.
   */
  ManifestConfig current() {
    try {
      if (read(false)) {
        fireConfigChangedEvent();
      }
    } catch (ConfigInvalidException e) {
      LOG.warn("repository configuration was not read: {}", e.getMessage());
    }
    return this;
  }

  /**
   * Reads the newest text known.
   *
   * @param anew true to read the text even if it has not changed, which drops values set since the
   *     last read
   * @return true if the values had been read from a different text before
   */
  private synchronized boolean read(boolean anew) throws ConfigInvalidException {
    Optional<String> before = loaded;
    Optional<String> text = Optional.of(stored());
    if (anew || !before.equals(text)) {
      fromText(text.get());
      loaded = text;
    }
    return before.isPresent() && !before.equals(text);
  }

  /** Listeners are notified only when a configuration is saved or read. */
  @Override
  protected boolean notifyUponTransientChanges() {
    return false;
  }

  private String stored() {
    return committer.cached().map(v -> v.manifest().settings().config()).orElse("");
  }

  /**
   * Asks the store, and reads the stored configuration. Unsaved values are lost.
   *
   * @throws IOException if the store does not answer, or the repository is gone
   * @throws ConfigInvalidException if the stored text is not a valid configuration
   */
  @Override
  public void load() throws IOException, ConfigInvalidException {
    committer.validate();
    if (read(true)) {
      fireConfigChangedEvent();
    }
  }

  /**
   * Commits the values in memory.
   *
   * @throws IOException if another process changed the configuration since it was loaded; load it,
   *     make the change again, then save
   */
  @Override
  public void save() throws IOException {
    if (commit()) {
      fireConfigChangedEvent();
    }
  }

  /** Commits the values in memory; returns true if they differ from those that were read. */
  private synchronized boolean commit() throws IOException {
    String text = toText();
    String before = loaded.orElse("");
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
                  base.withSettings(new RepositorySettings(text, s.description())), true);
            });
    if (!saved) {
      throw new IOException(
          "configuration was changed by another process; load it and change it again");
    }
    loaded = Optional.of(text);
    return !text.equals(before);
  }
}
