// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack;

import java.util.Set;
import org.jgits3.internal.pack.file.PackFiles;
import org.jgits3.internal.pack.file.SpillDirectory;
import org.jgits3.internal.pack.limit.PushLimits;
import org.jgits3.internal.pack.limit.TransferMemory;
import org.jgits3.internal.store.upload.PackUploads;
import org.jgits3.store.ObjectStore;

/**
 * Store, disk and memory that the packs of all repositories of a process share.
 *
 * @param store store of the repositories
 * @param uploads uploads to it
 * @param files reads the files of packs
 * @param spills directory for large packs being received until they are whole
 * @param memory heap for the objects of pushes and fetches
 * @param pushes limits of the work of a push
 * @param indexes memory for the indexes of packs
 * @param unlisted packs that wait or are lost
 */
public record PackResources(
    ObjectStore store,
    PackUploads uploads,
    PackFiles files,
    SpillDirectory spills,
    TransferMemory memory,
    PushLimits pushes,
    IndexBudget indexes,
    Set<Object> unlisted) {}
