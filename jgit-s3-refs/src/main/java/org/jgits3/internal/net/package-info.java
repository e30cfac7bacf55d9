// SPDX-License-Identifier: Apache-2.0
/** Networks of clients, which servers count attempts by. */
package org.jgits3.internal.net;
