// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.log;

import java.io.IOException;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import org.jgits3.manifest.RefChange;

/** Changes of refs, one after the other, without holding them all. Used by one thread. */
@FunctionalInterface
public interface RefChangeCursor {
  /**
   * The next change.
   *
   * @return the change; empty after the last
   * @throws IOException if it cannot be read
   */
  Optional<RefChange> next() throws IOException;

  /** Changes in memory. */
  static RefChangeCursor of(List<RefChange> changes) {
    Iterator<RefChange> iterator = changes.iterator();
    return () -> iterator.hasNext() ? Optional.of(iterator.next()) : Optional.empty();
  }

  /** The changes of a {@link BlockFile#CHANGES} file; holds about a megabyte of it. */
  static RefChangeCursor of(BlockFileReader file) {
    return new RefChangeCursor() {
      private BlockCursor block = new BlockCursor(new byte[0], 0, 0);
      private int read;

      @Override
      public Optional<RefChange> next() throws IOException {
        while (block.atEnd()) {
          if (read == file.index().blocks().size()) {
            return Optional.empty();
          }
          block = file.blockAndOn(read++);
        }
        return Optional.of(file.readable(block::change));
      }
    };
  }
}
