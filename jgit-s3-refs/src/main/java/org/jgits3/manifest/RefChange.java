// SPDX-License-Identifier: Apache-2.0
package org.jgits3.manifest;

import org.eclipse.jgit.lib.ObjectId;

/**
 * One ref of a committed transaction.
 *
 * @param ref full name
 * @param oldId value before; {@link ObjectId#zeroId()} if the ref did not exist
 * @param newId value after; {@link ObjectId#zeroId()} if the ref was deleted
 */
public record RefChange(String ref, ObjectId oldId, ObjectId newId) {}
