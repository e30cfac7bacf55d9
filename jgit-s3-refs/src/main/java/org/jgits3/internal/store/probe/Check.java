// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.probe;

/**
 * Result of a probe for one property of a store.
 *
 * @param name stable name, such as {@code stale-if-match}
 * @param ok true if the store has the property
 * @param detail one line: the observation and, after a failure, its consequence
 * @param required true if repositories are unsafe without the property
 * @param remedy what an administrator can do after a failure; empty if there is none
 */
public record Check(String name, boolean ok, String detail, boolean required, String remedy) {}
