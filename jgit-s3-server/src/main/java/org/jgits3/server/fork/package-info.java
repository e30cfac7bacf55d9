// SPDX-License-Identifier: Apache-2.0
/** Commands that make templates, and forks of them. */
package org.jgits3.server.fork;
