// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

import java.util.Map;

/**
 * Properties of an object, known without reading its bytes.
 *
 * @param size length in bytes
 * @param version version
 * @param metadata user metadata given when the object was written; keys in lower case
 */
public record ObjectInfo(long size, ObjectVersion version, Map<String, String> metadata) {}
