// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.probe;

import java.util.Locale;

/**
 * Properties of a store that a probe checks. Their order is that of what a store without them
 * costs: first those without which nothing works, then lost repositories and pushes, objects that
 * cannot be found or read, damage that is not noticed, and at last what repositories can do
 * without. A store is refused for the first one that it lacks.
 */
enum Property {
  CREATE("a new object can be created", Remedy.CONDITIONS),
  REPLACE_IF_MATCH("the current version can be replaced", Remedy.CONDITIONS),
  CREATE_IF_ABSENT("an existing object is not created again", Remedy.CONDITIONS),
  CREATE_RACE("one of several creations wins", Remedy.RACES),
  DISTINCT_VERSIONS(
      "equally long bodies differ in version",
      "use a store whose ETag is made from the content or new for each write"),
  STALE_IF_MATCH("an outdated version is not replaced", Remedy.CONDITIONS),
  IF_MATCH_MISSING("a missing object is not replaced", Remedy.CONDITIONS),
  UPDATE_RACE("one of several updates wins", Remedy.RACES),
  READ_AFTER_WRITE("a read sees the last write", Remedy.READS),
  TORN_READ("a read never mixes two versions", Remedy.READS),
  RANGE_IF_MATCH("a range of an outdated version is refused", Remedy.READS),
  RANGE("a range has the bytes it should", Remedy.READS),
  LIST_AFTER_WRITE("a listing shows a write at once", Remedy.READS),
  MULTIPART("large objects arrive whole, with metadata", Remedy.UPLOADS),
  MULTIPART_ABORT("an aborted upload is gone", Remedy.UPLOADS),
  LIST_AFTER_DELETE("a listing shows a delete at once", Remedy.READS),
  PART_CHECKSUM("a part with a wrong checksum is refused", Remedy.CHECKSUMS),
  PUT_CHECKSUM("an object with a wrong checksum is refused", Remedy.CHECKSUMS),
  NOT_MODIFIED(
      "an unchanged object is not sent again",
      "let each proxy before the store pass If-None-Match of a GET on"),
  MULTIPART_LIST(
      "uploads that were begun are listed",
      "have the store abort unfinished uploads by itself after some days"),
  DELETE("objects can be deleted", "allow s3:DeleteObject for the prefix, and run sweep"),
  ANSWERS("the store answers", "look into the log of the server, and run doctor again");

  /** Advice to an administrator. */
  private static final class Remedy {
    static final String CONDITIONS =
        "use a store, or a newer release of it, that honours If-Match and If-None-Match of a PUT;"
            + " let each proxy before it pass them on";
    static final String RACES =
        "use a store that compares and writes in one step; let one server alone write its files";
    static final String READS =
        "use a store that reads and lists its own writes; let no cache or proxy before it answer"
            + " for it, or change ranges or conditions";
    static final String UPLOADS =
        "use a newer release of the store, or another one; let no proxy before it change uploads";
    static final String CHECKSUMS =
        "use a store, or a newer release of it, that verifies x-amz-checksum-crc32c or Content-MD5";
  }

  private final String description;
  private final String remedy;

  Property(String description, String remedy) {
    this.description = description;
    this.remedy = remedy;
  }

  /** Tests whether repositories are unsafe in a store without the property. */
  boolean isRequired() {
    return compareTo(NOT_MODIFIED) < 0;
  }

  /** Result of a check that the store passed. */
  Check held() {
    return new Check(label(), true, description, isRequired(), "");
  }

  /**
   * Result of a check that the store failed.
   *
   * @param detail one line: the observation and its consequence
   */
  Check failed(String detail) {
    return new Check(label(), false, detail, isRequired(), remedy);
  }

  private String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Returns the stable name and the description, for a reader who waits for the check. */
  @Override
  public String toString() {
    return label() + ": " + description;
  }
}
