// SPDX-License-Identifier: Apache-2.0
/** Flame graphs of the JVMs that measure, when they are asked for. */
package org.jgits3.bench.profile;
