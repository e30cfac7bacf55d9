// SPDX-License-Identifier: Apache-2.0
/** Events of all repositories: their form, the position of a reader, and a receiver by HTTP. */
package org.jgits3.server.events;
