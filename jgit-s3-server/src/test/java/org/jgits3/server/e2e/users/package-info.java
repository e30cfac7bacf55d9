// SPDX-License-Identifier: Apache-2.0
/** Users of a server, as an administrator changes them. */
package org.jgits3.server.e2e.users;
