// SPDX-License-Identifier: Apache-2.0
/** Limits of requests, and their refusal in a line that git shows. */
package org.jgits3.server.http.limit;
