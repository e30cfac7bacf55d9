// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack;

import org.jgits3.internal.pack.file.SpillDirectory;

/**
 * What packs that are received share in a process.
 *
 * @param spills where large ones go until they are whole
 * @param memory heap for the objects of pushes
 */
public record ReceiveResources(SpillDirectory spills, TransferMemory memory) {}
