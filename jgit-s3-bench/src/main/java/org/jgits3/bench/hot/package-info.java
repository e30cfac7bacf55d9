// SPDX-License-Identifier: Apache-2.0
/**
 * Many clients that push to one repository at the same time, through one server, through several,
 * and through Git's own. Entry: {@link org.jgits3.bench.hot.HotSuite}.
 */
package org.jgits3.bench.hot;
