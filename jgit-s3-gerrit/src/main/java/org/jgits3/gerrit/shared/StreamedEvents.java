// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.shared;

import com.google.gerrit.common.Nullable;
import com.google.gerrit.server.config.GerritInstanceId;
import com.google.gerrit.server.events.Event;
import com.google.gerrit.server.events.EventBroker;
import com.google.gerrit.server.events.EventListener;
import com.google.gerrit.server.events.UserScopedEventListener;
import com.google.gerrit.server.notedb.ChangeNotes;
import com.google.gerrit.server.permissions.PermissionBackend;
import com.google.gerrit.server.plugincontext.PluginSetContext;
import com.google.gerrit.server.project.ProjectCache;
import com.google.inject.Inject;
import com.google.inject.Singleton;

/**
 * Gives events of other nodes to the users of this node who listen and may see them, and to no
 * others.
 *
 * <p>An event has two kinds of listeners. A {@link UserScopedEventListener} is a user who is
 * connected to one node, such as {@code stream-events}, and has to see what happens on all nodes.
 * Any other {@link EventListener} is a part of Gerrit or of a plugin that acts on events: it calls
 * a web hook, comments on an issue, sends to a broker, counts. Each node has one, and what happens
 * once is to be acted upon once, by the node where it happens. Nor does such a listener need the
 * events of other nodes to keep its node up to date, as indexes and caches follow the store.
 */
@Singleton
public class StreamedEvents extends EventBroker {
  @Inject
  StreamedEvents(
      PluginSetContext<UserScopedEventListener> users,
      PluginSetContext<EventListener> unrestricted,
      PermissionBackend permissions,
      ProjectCache projects,
      ChangeNotes.Factory notes,
      @Nullable @GerritInstanceId String instanceId) {
    super(users, unrestricted, permissions, projects, notes, instanceId);
  }

  @Override
  protected void fireEventForUnrestrictedListeners(Event event) {
    // They got the event on its own node.
  }
}
