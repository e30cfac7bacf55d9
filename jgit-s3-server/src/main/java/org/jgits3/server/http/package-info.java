// SPDX-License-Identifier: Apache-2.0
/**
 * Git over HTTP: JGit's servlet on an embedded Jetty, with authentication, limits on pushes, health
 * and metrics.
 *
 * <p>Depends on the library only. Entry type: {@link org.jgits3.server.http.GitHttpServer}.
 */
package org.jgits3.server.http;
