// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

import java.io.Closeable;

/** Uploads of all repositories of a manager, and their memory. Safe for use by many threads. */
public interface Uploads extends Closeable {
  /**
   * Makes the owner responsible for {@link #close} before the JVM ends. Without this call, a
   * shutdown hook aborts the open uploads as soon as the JVM begins to end, at the same time as all
   * other hooks. A server that lets its requests finish first calls this once. In a single shutdown
   * hook it waits for the requests, and then closes this or the manager it belongs to. Uploads
   * continue until then; those still open are aborted. An owner that calls this and does not close
   * leaves parts in the store, for a sweep to find.
   */
  void keepOpenAtExit();

  /**
   * Memory of the uploads.
   *
   * @return the options
   */
  UploadOptions options();

  /**
   * Buffers that uploads hold at the moment.
   *
   * @return number of buffers, at most {@link UploadOptions#buffers}
   */
  int buffersInUse();

  /**
   * Memory of all buffers at the moment, idle ones included.
   *
   * @return bytes, at most {@link UploadOptions#buffers} times {@link UploadOptions#partSize}
   */
  long held();

  /**
   * Uploads whose writers wait for a buffer at the moment.
   *
   * @return number of uploads; above 0 for long means that uploads would profit from more memory
   */
  int waiting();

  /**
   * Aborts the open uploads and removes their parts from the store. Writers fail. The store stays
   * open.
   */
  @Override
  void close();
}
