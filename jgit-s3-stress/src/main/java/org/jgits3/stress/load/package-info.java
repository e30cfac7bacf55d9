// SPDX-License-Identifier: Apache-2.0
/**
 * Many clients of one server with a small heap at the same time, some of them slow or silent, and
 * the judgement of what they met. Entry: {@link org.jgits3.stress.load.LoadRun}.
 */
package org.jgits3.stress.load;
