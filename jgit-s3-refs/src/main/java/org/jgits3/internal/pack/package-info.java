// SPDX-License-Identifier: Apache-2.0
/**
 * The object database: lists of packs, packs of pushes, and connectivity.
 *
 * <p>{@link org.jgits3.internal.pack.SharedPacks} is shared by all handles of one repository,
 * {@link org.jgits3.internal.pack.S3ObjDatabase} is the object database of one handle.
 */
package org.jgits3.internal.pack;
