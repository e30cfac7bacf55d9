// SPDX-License-Identifier: Apache-2.0
package org.jgits3.testing.aid;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Set;
import org.eclipse.jgit.internal.storage.pack.PackWriter;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.Repository;
import org.jgits3.internal.function.IoRunnable;

/** A client that gets a collected pack as it is, while others do something. */
public final class WholePackClient extends OutputStream {
  private final IoRunnable meanwhile;
  private boolean begun;
  private long received;

  private WholePackClient(IoRunnable meanwhile) {
    this.meanwhile = meanwhile;
  }

  /** Prepares to send a pack of all that some commits lead to. */
  public static PackWriter writer(Repository from, ObjectId... tips) throws IOException {
    PackWriter writer = new PackWriter(from);
    writer.setUseBitmaps(true);
    writer.setUseCachedPacks(true);
    writer.setReuseDeltaCommits(true);
    writer.setReuseValidatingObjects(false);
    writer.preparePack(NullProgressMonitor.INSTANCE, Set.of(tips), Set.of());
    return writer;
  }

  /**
   * Gets a pack.
   *
   * @param writer sends it
   * @param meanwhile done once, when the pack itself begins to arrive
   * @return number of its bytes
   */
  public static long get(PackWriter writer, IoRunnable meanwhile) throws IOException {
    WholePackClient client = new WholePackClient(meanwhile);
    writer.writePack(NullProgressMonitor.INSTANCE, NullProgressMonitor.INSTANCE, client);
    assertThat(client.begun).isTrue();
    return client.received;
  }

  @Override
  public void write(int b) {
    received++;
  }

  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    received += length;
    if (!begun && length > 1000) {
      begun = true;
      meanwhile.run();
    }
  }
}
