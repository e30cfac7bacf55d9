// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.transaction;

import java.io.IOException;

/**
 * Others changed refs on which a prepared transaction was decided, or folded what a compaction
 * began with. The caller prepares it again, outside the commit loop, because all other changes of
 * the repository would wait for it there.
 */
final class OvertakenException extends IOException {
  OvertakenException(String name) {
    super(name + " was changed meanwhile");
  }
}
