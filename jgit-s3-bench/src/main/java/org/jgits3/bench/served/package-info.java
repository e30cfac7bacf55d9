// SPDX-License-Identifier: Apache-2.0
/**
 * Pushes to, and listings of, repositories of very many refs, as clients see them over HTTP: a part
 * of the suite {@code refs}. Entry point: {@link org.jgits3.bench.served.ServedRefs}.
 */
package org.jgits3.bench.served;
