// SPDX-License-Identifier: Apache-2.0
/**
 * What operations cost in requests to the store, beside what they may cost at most. Entry: {@link
 * org.jgits3.bench.requests.RequestsSuite}.
 */
package org.jgits3.bench.requests;
