// SPDX-License-Identifier: Apache-2.0
/** Limits of the memory and the work that transfers may take. */
package org.jgits3.internal.pack.limit;
