// SPDX-License-Identifier: Apache-2.0
package org.jgits3.manifest;

import com.fasterxml.jackson.annotation.JsonFormat;

/**
 * An immutable object with a run of log entries.
 *
 * @param object the object
 * @param from generation of its first entry
 * @param to generation of its last entry
 * @param entries number of entries
 * @param indexSize bytes at its end that tell a reader which parts of it, if any, it needs
 */
@JsonFormat(shape = JsonFormat.Shape.ARRAY)
public record LogSegment(StoredObject object, long from, long to, long entries, int indexSize) {}
