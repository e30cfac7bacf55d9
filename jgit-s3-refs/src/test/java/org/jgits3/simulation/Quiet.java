// SPDX-License-Identifier: Apache-2.0
package org.jgits3.simulation;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.slf4j.LoggerFactory;

/** Leaves out what simulated processes log while the tests of a class run. */
final class Quiet implements BeforeAllCallback, AfterAllCallback {
  private static final List<String> NAMES = List.of("org.jgits3", "org.eclipse.jgit");

  private final List<Level> before = new ArrayList<>();

  private static Logger logger(String name) {
    return (Logger) LoggerFactory.getLogger(name);
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    for (String name : NAMES) {
      before.add(logger(name).getLevel());
      logger(name).setLevel(Level.OFF);
    }
  }

  @Override
  public void afterAll(ExtensionContext context) {
    for (int i = 0; i < NAMES.size(); i++) {
      logger(NAMES.get(i)).setLevel(before.get(i));
    }
  }
}
