// SPDX-License-Identifier: Apache-2.0
package org.jgits3.testing;

import java.util.HashMap;
import java.util.Map;

/** Changes system properties for the length of a {@code try} block. Not for concurrent tests. */
public final class SystemProperties implements AutoCloseable {
  private final Map<String, String> before = new HashMap<>();

  /**
   * Sets a property.
   *
   * @param name its name
   * @param value its value
   * @return this
   */
  public SystemProperties set(String name, String value) {
    remember(name);
    System.setProperty(name, value);
    return this;
  }

  /**
   * Removes a property.
   *
   * @param name its name
   * @return this
   */
  public SystemProperties clear(String name) {
    remember(name);
    System.clearProperty(name);
    return this;
  }

  private void remember(String name) {
    if (!before.containsKey(name)) { // null is a value, too
      before.put(name, System.getProperty(name));
    }
  }

  /** Puts back what there was. */
  @Override
  public void close() {
    before.forEach(
        (name, value) -> {
          if (value == null) {
            System.clearProperty(name);
          } else {
            System.setProperty(name, value);
          }
        });
  }
}
