// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress.load;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.util.Optional;
import org.eclipse.jgit.transport.PacketLineIn;

/**
 * Lists refs as git does, in turns all and a few, and counts them. A light client, of which a
 * machine bears many.
 */
final class LsRefsClient implements Client {
  private static final int LIMIT_MILLIS = (int) GitAttempts.LIMIT.toMillis();
  private static final int OK = 200;
  private static final int BUSY = 503;

  private final Tally tally;
  private final String url;
  private final String[] prefixes;
  private final int[] expected;
  private int turn;

  /**
   * Creates a client of a repository whose branches have names of six digits.
   *
   * @param tally where listings are counted
   * @param url its URL
   * @param prefix what the names begin with
   * @param refs number of its refs
   */
  LsRefsClient(Tally tally, String url, String prefix, int refs) {
    this.tally = tally;
    this.url = url;
    this.prefixes = new String[] {prefix, prefix + "0000"};
    this.expected = new int[] {refs, Math.min(refs, 100)};
  }

  @Override
  public void step() throws IOException, InterruptedException {
    int which = turn++ % prefixes.length;
    Listing listing = Listing.of(url, prefixes[which]);
    long began = System.nanoTime();
    Optional<Integer> count = list(listing);
    while (count.isEmpty()) {
      tally.rejected(Operation.LS_REFS);
      count = list(listing);
    }
    if (count.get() != expected[which]) {
      throw new IOException("ls-refs: " + count.get() + " refs, and not " + expected[which]);
    }
    tally.done(Operation.LS_REFS, began);
  }

  /** Returns the number of refs; empty if the server is busy. */
  private Optional<Integer> list(Listing listing) throws IOException {
    HttpURLConnection capabilities = open("/info/refs?service=git-upload-pack");
    if (busy(capabilities)) {
      return Optional.empty();
    }
    try (InputStream in = capabilities.getInputStream()) {
      in.readAllBytes();
    }
    HttpURLConnection refs = open("/git-upload-pack");
    refs.setDoOutput(true);
    refs.setRequestProperty("Content-Type", Listing.TYPE);
    refs.getOutputStream().write(listing.body());
    if (busy(refs)) {
      return Optional.empty();
    }
    try (InputStream in = new BufferedInputStream(refs.getInputStream())) {
      PacketLineIn lines = new PacketLineIn(in);
      int count = 0;
      while (!PacketLineIn.isEnd(lines.readString())) {
        count++;
      }
      return Optional.of(count);
    }
  }

  private HttpURLConnection open(String path) throws IOException {
    HttpURLConnection http = (HttpURLConnection) URI.create(url + path).toURL().openConnection();
    http.setConnectTimeout(LIMIT_MILLIS);
    http.setReadTimeout(LIMIT_MILLIS);
    http.setRequestProperty("Connection", "close");
    http.setRequestProperty("Git-Protocol", "version=2");
    return http;
  }

  private static boolean busy(HttpURLConnection http) throws IOException {
    int status = http.getResponseCode();
    if (status == OK) {
      return false;
    }
    String line = "";
    try (InputStream in = http.getErrorStream()) {
      line = in == null ? "" : new String(in.readAllBytes(), UTF_8);
    }
    if (status == BUSY && line.startsWith("the server is busy")) {
      return true;
    }
    throw new IOException("ls-refs: status " + status + ": " + line);
  }
}
