// SPDX-License-Identifier: Apache-2.0
/** Plugin that the end-to-end test installs into its Gerrits, in a jar of its own. */
package org.jgits3.gerrit.e2e.plugin;
