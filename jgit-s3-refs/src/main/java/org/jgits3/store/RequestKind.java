// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

/** The verbs of {@link ObjectStore}, for counting. */
public enum RequestKind {
  /** {@link ObjectStore#get}. */
  GET,
  /** {@link ObjectStore#read}. */
  READ,
  /** {@link ObjectStore#stat}. */
  STAT,
  /** {@link ObjectStore#putIf}. */
  PUT_IF,
  /** {@link ObjectStore#put}. */
  PUT,
  /** {@link ObjectStore#beginMultipart}. */
  MULTIPART_BEGIN,
  /** {@link ObjectStore#uploadPart}. */
  PART,
  /** {@link ObjectStore#completeMultipart}. */
  COMPLETE,
  /** {@link ObjectStore#abortMultipart}. */
  ABORT,
  /** {@link ObjectStore#listMultipart}. */
  LIST_MULTIPART,
  /** One page of {@link ObjectStore#list}. */
  LIST,
  /** One batch of {@link ObjectStore#delete}. */
  DELETE
}
