// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.index;

import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import com.google.common.flogger.FluentLogger;

/** Refs whose names Gerrit cannot parse, each named once in the log. Safe for many threads. */
final class UnparsableRefs {
  private static final FluentLogger LOG = FluentLogger.forEnclosingClass();

  /** Number of refs that are remembered; older ones may be named again. */
  private static final int MOST = 10_000;

  /** Maximum length of a name in the log. */
  private static final int LENGTH = 200;

  private static final Cache<String, Boolean> NAMED =
      CacheBuilder.newBuilder().maximumSize(MOST).build();

  private UnparsableRefs() {}

  static void name(String project, String ref, RuntimeException cause) {
    String shown = ref.length() > LENGTH ? ref.substring(0, LENGTH) + "..." : ref;
    if (NAMED.asMap().putIfAbsent(project + ":" + shown, true) == null) {
      LOG.atWarning().log(
          "Following: %s of %s is ignored, because Gerrit cannot parse it: %s",
          shown, project, cause);
    }
  }
}
