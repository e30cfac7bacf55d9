// SPDX-License-Identifier: Apache-2.0
/** Digests that every Java platform has. */
package org.jgits3.internal.digest;
