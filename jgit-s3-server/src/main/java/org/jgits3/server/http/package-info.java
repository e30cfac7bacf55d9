// SPDX-License-Identifier: Apache-2.0
/**
 * Git over HTTP: JGit's servlet on an embedded Jetty. The packages below it have its users, limits,
 * log of accesses and metrics.
 *
 * <p>Depends on the library, on these packages and on {@code org.jgits3.server.terminal}. Entry
 * type: {@link org.jgits3.server.http.GitHttpServer}.
 */
package org.jgits3.server.http;
