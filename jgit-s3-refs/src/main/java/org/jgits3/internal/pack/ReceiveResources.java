// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack;

import org.jgits3.internal.pack.file.SpillDirectory;

/**
 * Resources that all packs being received in a process share.
 *
 * @param spills directory for large packs until they are whole
 * @param memory heap for the objects of pushes
 */
public record ReceiveResources(SpillDirectory spills, TransferMemory memory) {}
