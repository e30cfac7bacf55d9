// SPDX-License-Identifier: Apache-2.0
/**
 * The parts that all commands share: the global options, the repositories that a command works on,
 * errors of one line, and an orderly end when the process is told to stop.
 *
 * <p>Depends on the library and on {@code org.jgits3.server.terminal}. Entry type: {@link
 * org.jgits3.server.program.Program}.
 */
package org.jgits3.server.program;
