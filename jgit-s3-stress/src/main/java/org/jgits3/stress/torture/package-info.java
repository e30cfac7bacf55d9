// SPDX-License-Identifier: Apache-2.0
/**
 * Processes that use shared repositories while the store fails and they are killed, and the
 * judgement of what they were told. Entry: {@link org.jgits3.stress.torture.TortureRun}.
 */
package org.jgits3.stress.torture;
