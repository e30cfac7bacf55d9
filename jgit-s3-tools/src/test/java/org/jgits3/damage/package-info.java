// SPDX-License-Identifier: Apache-2.0
/**
 * Damages every kind of stored object, at rest and in transit, and asks everything of the
 * repository. The answer is right, or an error that names the key.
 */
package org.jgits3.damage;
