// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit;

import com.google.gerrit.extensions.registration.DynamicItem;
import com.google.gerrit.httpd.WebSession;
import com.google.inject.AbstractModule;
import com.google.inject.servlet.RequestScoped;
import com.google.inject.servlet.ServletScopes;
import org.jgits3.gerrit.shared.S3WebSession;

/**
 * Keeps the web sessions of all Gerrits on a store in that store. Takes effect only if the jar is
 * also installed as a plugin, whose manifest names this class: Gerrit takes such a module of its
 * web server only from plugins.
 */
public final class S3SessionModule extends AbstractModule {
  /** Created by Gerrit. */
  public S3SessionModule() {}

  @Override
  protected void configure() {
    bindScope(RequestScoped.class, ServletScopes.REQUEST);
    DynamicItem.bind(binder(), WebSession.class).to(S3WebSession.class).in(RequestScoped.class);
  }
}
