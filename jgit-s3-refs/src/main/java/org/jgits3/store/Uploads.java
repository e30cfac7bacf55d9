// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

import java.io.Closeable;

/** Uploads of all repositories of a manager, and their memory. Safe for use by many threads. */
public interface Uploads extends Closeable {
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
