// SPDX-License-Identifier: Apache-2.0
/** Users of a server, and their passwords. */
package org.jgits3.server.http.users;
