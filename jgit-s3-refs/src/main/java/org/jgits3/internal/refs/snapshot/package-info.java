// SPDX-License-Identifier: Apache-2.0
/**
 * Snapshots of all refs: uploads, downloads, derivation from those before, and the view that joins
 * a snapshot with the newer refs of the manifest.
 *
 * <p>Entry types: {@link org.jgits3.internal.refs.snapshot.RefView} and {@link
 * org.jgits3.internal.refs.snapshot.SnapshotTables}.
 */
package org.jgits3.internal.refs.snapshot;
