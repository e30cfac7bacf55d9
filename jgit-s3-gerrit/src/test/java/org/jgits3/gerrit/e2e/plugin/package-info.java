// SPDX-License-Identifier: Apache-2.0
/** Plugins that the end-to-end test installs into its Gerrits, each in a jar of its own. */
package org.jgits3.gerrit.e2e.plugin;
