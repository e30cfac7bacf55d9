// SPDX-License-Identifier: Apache-2.0
/**
 * A repository as maintenance and verification read it: the refs and packs of one manifest,
 * whatever others commit meanwhile. Entry type: {@link
 * org.jgits3.internal.version.RepositoryVersion}.
 */
package org.jgits3.internal.version;
