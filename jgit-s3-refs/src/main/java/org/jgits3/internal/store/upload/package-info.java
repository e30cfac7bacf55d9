// SPDX-License-Identifier: Apache-2.0
/**
 * Streams of unknown length uploaded through a bounded number of buffers.
 *
 * <p>Entry type: {@link org.jgits3.internal.store.upload.PackUploads}.
 */
package org.jgits3.internal.store.upload;
