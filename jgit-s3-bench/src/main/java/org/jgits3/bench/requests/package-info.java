// SPDX-License-Identifier: Apache-2.0
/**
 * Requests of operations to the store, beside their limits. Entry: {@link
 * org.jgits3.bench.requests.RequestsSuite}.
 */
package org.jgits3.bench.requests;
