// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress.torture;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jgits3.bench.proxy.HttpMessage;

/** Faults of a store, or of the network on the way to it, that one request can meet. */
public enum Fault {
  /** Answered 503 and not forwarded. */
  UNAVAILABLE,
  /** Answered 500 and not forwarded. */
  FAILED,
  /** Answered 409 as S3 does when another conditional write is under way, and not forwarded. */
  CONFLICT,
  /** The connection is reset; the request is not forwarded. */
  RESET,
  /** The server gets a part of the request; then both connections are reset. */
  CUT_REQUEST,
  /** Done by the server; the connection is closed without an answer. */
  LOST_REPLY,
  /** Done by the server, and answered 500. */
  FAILED_AFTER,
  /** Done by the server, and answered 200 with an error, as S3 does after a long completion. */
  FAILED_IN_SUCCESS,
  /** Answered 200 by a gateway, with nothing or with a page of its own, and not forwarded. */
  GATEWAY,
  /** The connection is reset at once, and the request forwarded later. */
  LATE,
  /** Answered, and forwarded once more later. */
  REPEATED,
  /** Forwarded twice; the second answer is passed on. */
  DOUBLED,
  /** A part of the answer is passed on; then the connection is closed. */
  CUT_ANSWER,
  /** The answer has the first half of the content of an object, and says that this is all. */
  SHORTENED,
  /** One bit of the content of an object is flipped in the answer. */
  FLIPPED_BIT,
  /** Forwarded later than at once. */
  DELAYED,
  /** Answered later than at once, perhaps later than the client waits. */
  DELAYED_ANSWER,
  /** The answer comes a few bytes at a time. */
  SLOW_ANSWER,
  /** A manifest's write is acknowledged and never made: the fault of a store that must be found. */
  LIE,
  /** The deletion of a repository is acknowledged and never made, which must be found as well. */
  LIE_ABOUT_NAME;

  /** Those of a store that no client can get along with. */
  static final Set<Fault> LIES = Collections.unmodifiableSet(EnumSet.of(LIE, LIE_ABOUT_NAME));

  /** Tombstone of a repository that had a name: others are in epoch 1. */
  private static final Pattern TOMBSTONE =
      Pattern.compile("\"state\":\"deleted\",\"epoch\":(?!1,)");

  /** Its name in reports. */
  String words() {
    return name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  /** Tests whether a request can meet it. */
  boolean fits(HttpMessage request) {
    return switch (this) {
      case CONFLICT -> request.isConditionalWrite();
      case CUT_REQUEST -> request.body().length > 1;
      case FAILED_AFTER, FAILED_IN_SUCCESS, LATE, REPEATED, DOUBLED -> request.isWrite();
      case FLIPPED_BIT, SHORTENED -> request.isDownload();
      case SLOW_ANSWER -> !request.isWrite();
      case LIE_ABOUT_NAME ->
          request.isConditionalWrite()
              && TOMBSTONE.matcher(new String(request.body(), UTF_8)).find();
      case LIE -> request.isConditionalWrite() && request.target().contains("/manifest");
      default -> true;
    };
  }
}
