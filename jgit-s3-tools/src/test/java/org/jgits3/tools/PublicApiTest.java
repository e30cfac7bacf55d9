// SPDX-License-Identifier: Apache-2.0
package org.jgits3.tools;

import java.util.Set;
import org.jgits3.PublicApiContract;

/** The public API of the tools. */
class PublicApiTest extends PublicApiContract {
  PublicApiTest() {
    super(Set.of());
  }
}
