// SPDX-License-Identifier: Apache-2.0
package org.jgits3.manifest;

/**
 * The last batch of one committer, so that it can recognise its own write after a lost answer.
 *
 * @param seq sequence number of the batch, never used twice by a committer
 * @param batch nonce of the batch; only an equal nonce proves that the batch was applied
 * @param generation generation that the batch made
 */
public record WriterEntry(long seq, String batch, long generation) {}
