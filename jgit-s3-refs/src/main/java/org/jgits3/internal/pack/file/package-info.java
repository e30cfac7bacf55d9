// SPDX-License-Identifier: Apache-2.0
/**
 * Files of packs: blocks read through caches and checked, bytes written through buffers.
 *
 * <p>Entry type: {@link org.jgits3.internal.pack.file.PackFiles}.
 */
package org.jgits3.internal.pack.file;
