// SPDX-License-Identifier: Apache-2.0
package org.jgits3.manifest;

import org.jgits3.store.ObjectVersion;

/**
 * A manifest and the version of the object it was read from.
 *
 * @param manifest the value
 * @param version its version in the store
 */
public record VersionedManifest(Manifest manifest, ObjectVersion version) {}
