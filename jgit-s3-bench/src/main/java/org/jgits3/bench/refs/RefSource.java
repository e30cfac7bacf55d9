// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.refs;

import java.io.Closeable;
import java.io.IOException;

/** Source from which a repository is opened repeatedly, each time as if for the first time. */
@FunctionalInterface
interface RefSource extends Closeable {
  /** Opens the repository without anything a former one has read; closed before this source. */
  RefStore open() throws IOException;

  /** Opens it as {@link #open} does, but as a server that needs it for one request. */
  default RefStore openForRequest() throws IOException {
    return open();
  }

  @Override
  default void close() throws IOException {}
}
