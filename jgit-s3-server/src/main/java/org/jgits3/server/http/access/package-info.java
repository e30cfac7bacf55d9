// SPDX-License-Identifier: Apache-2.0
/** Tells who asked for what, and what became of it: one line for each access. */
package org.jgits3.server.http.access;
