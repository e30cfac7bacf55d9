// SPDX-License-Identifier: Apache-2.0
/**
 * Git over HTTP: JGit's servlet on an embedded Jetty. The packages below it have its users, limits
 * and metrics.
 *
 * <p>Depends on the library and on these packages. Entry type: {@link
 * org.jgits3.server.http.GitHttpServer}.
 */
package org.jgits3.server.http;
