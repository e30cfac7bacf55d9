// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.e2e.plugin;

import com.google.gerrit.entities.SubmitRecord;
import com.google.gerrit.extensions.annotations.Listen;
import com.google.gerrit.extensions.annotations.PluginData;
import com.google.gerrit.server.query.change.ChangeData;
import com.google.gerrit.server.rules.SubmitRule;
import com.google.inject.Inject;
import com.google.inject.Singleton;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Submit rule that does not return for the changes of one project while a file names it. Gerrit
 * asks it for each document of an open change.
 */
@Listen
@Singleton
public final class SlowRule implements SubmitRule {
  /** Name of the plugin. */
  public static final String PLUGIN = "slow-rule";

  /** File in the directory of the plugin with the name of the project. */
  public static final String PROJECT = "project";

  /** File in the directory of the plugin that is there once the rule has waited. */
  public static final String WAITED = "waited";

  private final Path directory;

  @Inject
  SlowRule(@PluginData Path directory) {
    this.directory = directory;
  }

  @Override
  public Optional<SubmitRecord> evaluate(ChangeData change) {
    try {
      while (names(change.project().get())) {
        Files.writeString(directory.resolve(WAITED), "");
        Thread.sleep(100);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
    return Optional.empty();
  }

  private boolean names(String project) throws IOException {
    Path file = directory.resolve(PROJECT);
    return Files.exists(file) && Files.readString(file).equals(project);
  }
}
