// SPDX-License-Identifier: Apache-2.0
/**
 * The one mutable object of a repository: values, names, and their stored format.
 *
 * <p>Entry type: {@link org.jgits3.manifest.Manifest}. Values are immutable. {@link
 * org.jgits3.manifest.ObjectNames} has the keys of everything that is stored.
 */
package org.jgits3.manifest;
