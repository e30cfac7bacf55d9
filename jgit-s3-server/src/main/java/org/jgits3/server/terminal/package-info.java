// SPDX-License-Identifier: Apache-2.0
/** Speaks to people and programs: lines, JSON, progress, sizes and the log. */
package org.jgits3.server.terminal;
