// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit;

import static com.google.gerrit.server.account.AccountResource.ACCOUNT_KIND;
import static com.google.gerrit.server.config.ConfigResource.CONFIG_KIND;
import static com.google.gerrit.server.project.ProjectResource.PROJECT_KIND;

import com.google.gerrit.extensions.events.AccountIndexedListener;
import com.google.gerrit.extensions.events.ChangeIndexedListener;
import com.google.gerrit.extensions.events.GroupIndexedListener;
import com.google.gerrit.extensions.registration.DynamicSet;
import com.google.gerrit.extensions.restapi.RestApiModule;
import com.google.gerrit.lifecycle.LifecycleModule;
import com.google.gerrit.server.ExceptionHook;
import com.google.gerrit.server.events.EventListener;
import com.google.gerrit.server.index.OnlineUpgradeListener;
import org.jgits3.gerrit.follow.Follower;
import org.jgits3.gerrit.follow.GetFollower;
import org.jgits3.gerrit.follow.OnlineReindexes;
import org.jgits3.gerrit.index.IndexedHere;
import org.jgits3.gerrit.project.DeleteProject;
import org.jgits3.gerrit.project.FreshProjects;
import org.jgits3.gerrit.project.MoveProject;
import org.jgits3.gerrit.repository.GerritLine;
import org.jgits3.gerrit.shared.EndSessions;
import org.jgits3.gerrit.shared.OneNodeTasks;
import org.jgits3.gerrit.shared.SessionFlush;
import org.jgits3.gerrit.shared.SharedEvents;
import org.jgits3.gerrit.shared.StoredSessions;

/**
 * Makes a Gerrit one of several on a store: {@code gerrit.installModule} of {@code gerrit.config}
 * names this class, beside {@link S3DbModule} in {@code gerrit.installDbModule}. The latter is for
 * every program of Gerrit, this class only for the daemon, which has indexes and caches.
 */
public final class S3FollowerModule extends LifecycleModule {
  /** Created by Gerrit. */
  public S3FollowerModule() {}

  @Override
  protected void configure() {
    if (!GerritLine.isSupported()) {
      return; // S3DbModule reports this once there is a log; classes used below may be missing
    }
    listener().to(Follower.class);
    install(new OneNodeTasks());
    bind(StoredSessions.class); // here, so that the plugin has the same one
    install(new SessionFlush());
    install(new FreshProjects());
    DynamicSet.bind(binder(), ChangeIndexedListener.class).to(IndexedHere.class);
    DynamicSet.bind(binder(), AccountIndexedListener.class).to(IndexedHere.class);
    DynamicSet.bind(binder(), GroupIndexedListener.class).to(IndexedHere.class);
    DynamicSet.bind(binder(), OnlineUpgradeListener.class).to(OnlineReindexes.class);
    DynamicSet.bind(binder(), EventListener.class).to(SharedEvents.class);
    DynamicSet.bind(binder(), ExceptionHook.class).to(SubmitRaces.class);
    install(
        new RestApiModule() {
          @Override
          protected void configure() {
            delete(ACCOUNT_KIND, "s3-sessions").to(EndSessions.class);
            get(CONFIG_KIND, "s3-follower").to(GetFollower.class);
            post(PROJECT_KIND, "s3-move").to(MoveProject.class);
            post(PROJECT_KIND, "s3-delete").to(DeleteProject.class);
          }
        });
  }
}
