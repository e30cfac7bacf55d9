// SPDX-License-Identifier: Apache-2.0
/** What a run starts and reads: programs, the war of Gerrit, proxies, JSON, times of threads. */
package org.jgits3.gerrit.e2e.tools;
