// SPDX-License-Identifier: Apache-2.0
/** Programs that use the bucket of a run without a Gerrit, each in a JVM of its own. */
package org.jgits3.gerrit.e2e.writers;
