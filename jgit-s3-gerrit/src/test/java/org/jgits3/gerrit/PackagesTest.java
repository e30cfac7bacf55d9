// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit;

import org.jgits3.testing.Rooms;
import org.junit.jupiter.api.Test;

class PackagesTest {
  @Test
  void packages_of_the_jar_are_small_and_without_circles() {
    Rooms.check("org.jgits3.gerrit");
  }
}
