// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.e2e.plugin;

import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE;

import com.google.gerrit.extensions.annotations.Listen;
import com.google.gerrit.extensions.annotations.PluginData;
import com.google.gerrit.server.events.Event;
import com.google.gerrit.server.events.EventGson;
import com.google.gerrit.server.events.EventListener;
import com.google.gson.Gson;
import com.google.inject.Inject;
import com.google.inject.Singleton;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Acts on every event that it gets, as most plugins do: appends the event to a file. */
@Listen
@Singleton
public final class EventCounter implements EventListener {
  /** File in the directory of the plugin, with one line for each event. */
  public static final String FILE = "events";

  private final Path file;
  private final Gson gson;

  @Inject
  EventCounter(@PluginData Path directory, @EventGson Gson gson) {
    this.file = directory.resolve(FILE);
    this.gson = gson;
  }

  @Override
  public synchronized void onEvent(Event event) {
    try {
      Files.writeString(file, gson.toJson(event) + "\n", CREATE, APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
