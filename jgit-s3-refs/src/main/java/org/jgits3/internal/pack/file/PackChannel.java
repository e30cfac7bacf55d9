// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.jgits3.internal.store.read.ReadAhead;

/**
 * Reads a pack in ranges: a request for each block, or ahead if JGit asks for it. Used by one
 * thread.
 */
final class PackChannel extends PositionedChannel {
  private final StoredPack pack;
  private Optional<ReadAhead> ahead = Optional.empty();

  PackChannel(StoredPack pack) {
    this.pack = pack;
  }

  @Override
  protected int read(long position, ByteBuffer dst) throws IOException {
    return ahead.isPresent() ? ahead.get().read(position, dst) : readNow(position, dst);
  }

  private int readNow(long position, ByteBuffer dst) throws IOException {
    if (position >= size()) {
      return -1;
    }
    int n = (int) Math.min(dst.remaining(), size() - position);
    if (n == 0) {
      return 0;
    }
    long from = position - position % pack.range();
    long to = Math.min(size(), from + roundUp(position - from + n));
    if (from == position && to == position + n && dst.hasArray()) {
      pack.read(position, dst.array(), dst.arrayOffset() + dst.position(), n);
      dst.position(dst.position() + n);
    } else {
      byte[] ranges = new byte[Math.toIntExact(to - from)];
      pack.read(from, ranges, 0, ranges.length);
      dst.put(ranges, (int) (position - from), n);
    }
    return n;
  }

  private long roundUp(long bytes) {
    return (bytes + pack.range() - 1) / pack.range() * pack.range();
  }

  @Override
  public long size() {
    return pack.size();
  }

  /** As documented by JGit: reads the pack with several requests in flight from now on. */
  @Override
  public void setReadAheadBytes(int bytes) {
    ahead.ifPresent(ReadAhead::close);
    ahead =
        bytes > 0 && !pack.isLocal()
            ? Optional.of(new ReadAhead(pack::read, pack.range(), size(), bytes))
            : Optional.empty();
  }

  @Override
  public void close() throws IOException {
    super.close();
    setReadAheadBytes(0);
    pack.close();
  }
}
