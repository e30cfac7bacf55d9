// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.probe;

/**
 * What a probe found out about one property of a store.
 *
 * @param name stable name, such as {@code stale-if-match}
 * @param ok whether the store has the property
 * @param detail one line: what was seen, and if it failed what would come of it
 * @param required whether repositories are unsafe without the property
 */
public record Check(String name, boolean ok, String detail, boolean required) {}
