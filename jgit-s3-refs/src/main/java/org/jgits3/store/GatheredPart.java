// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;

/**
 * A part that is larger than the memory there is. Its pieces are put aside in the store, and when
 * they are large enough together they are read back one by one, while the part is sent.
 *
 * <p>It takes no memory of its own: whoever has put the last piece aside reads all of them through
 * the buffer that the piece was in, before that goes back.
 *
 * <p>Safe for use by many threads, of which one at a time adds pieces.
 */
final class GatheredPart {
  private final ObjectStore store;
  private final ParkedParts aside;
  private final Semaphore relays;
  private final ParkedBytes.Check check;
  private final MultipartUpload upload;
  private final int number;
  private final long least;

  // All guarded by this.
  private final CRC32C crc = new CRC32C();
  private final SortedMap<Integer, List<ParkedPart>> parked = new TreeMap<>();
  private int pieces;
  private long size;
  private boolean whole;

  /**
   * What the parts of an upload have in common.
   *
   * @param store where they go
   * @param aside what is put aside of them
   * @param relays how many may be sent at a time, by all uploads: each takes two connections
   * @param check fails if the upload was given up
   */
  record Setting(ObjectStore store, ParkedParts aside, Semaphore relays, ParkedBytes.Check check) {}

  /**
   * A part without a piece.
   *
   * @param setting what it has in common with others
   * @param upload upload it belongs to
   * @param number its number
   * @param least bytes with which it is whole
   */
  GatheredPart(Setting setting, MultipartUpload upload, int number, long least) {
    this.store = setting.store();
    this.aside = setting.aside();
    this.relays = setting.relays();
    this.check = setting.check();
    this.upload = upload;
    this.number = number;
    this.least = least;
  }

  /** Whether no piece may follow. */
  synchronized boolean isWhole() {
    return whole;
  }

  /**
   * Adds the next piece.
   *
   * @param piece its bytes, in arrays of one size; not changed before what is returned has ended
   * @param last whether none follows, whatever size the part has
   * @return puts the piece aside; and sends the part if all its pieces are there
   */
  synchronized PartsInFlight.Sending add(PartBody piece, boolean last) {
    int index = pieces++;
    piece.updateChecksum(crc);
    size += piece.size();
    whole = last || size >= least;
    return () -> put(index, piece);
  }

  private Optional<UploadedPart> put(int index, PartBody piece) throws IOException {
    List<ParkedPart> slices = new ArrayList<>();
    for (PartBody.Slice slice : piece.slices()) {
      if (slice.length() > 0) {
        slices.add(aside.put(slice.array(), slice.length()));
      }
    }
    return arrived(index, slices)
        ? Optional.of(send(piece.slices().get(0).array()))
        : Optional.empty();
  }

  /** Whether it is the last to arrive. */
  private synchronized boolean arrived(int index, List<ParkedPart> slices) {
    parked.put(index, slices);
    return whole && parked.size() == pieces;
  }

  private UploadedPart send(byte[] window) throws IOException {
    List<ParkedPart> all = inOrder();
    awaitTurn();
    try {
      UploadedPart sent = store.uploadPart(upload, number, body(all, window));
      aside.delete(all);
      return sent;
    } finally {
      relays.release();
    }
  }

  /** Waits for another such part to end, but no longer than the upload is wanted. */
  private void awaitTurn() throws IOException {
    try {
      do {
        check.check();
      } while (!relays.tryAcquire(1, TimeUnit.SECONDS));
    } catch (InterruptedException e) {
      InterruptedIOException interrupted =
          new InterruptedIOException("interrupted before part " + number + " was sent");
      interrupted.initCause(e);
      throw interrupted;
    }
  }

  private synchronized List<ParkedPart> inOrder() {
    return parked.values().stream().flatMap(List::stream).toList();
  }

  private synchronized PartBody body(List<ParkedPart> all, byte[] window) {
    return PartBody.of(
        size, (int) crc.getValue(), () -> new ParkedBytes(store, all, window, check));
  }
}
