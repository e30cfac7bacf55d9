// SPDX-License-Identifier: Apache-2.0
/**
 * All repositories of a store at once: their manifests, a table of very many ids, and its stored
 * form. Used by followers and by passes of maintenance. Entry type: {@link
 * org.jgits3.internal.fleet.Manifests}.
 */
package org.jgits3.internal.fleet;
