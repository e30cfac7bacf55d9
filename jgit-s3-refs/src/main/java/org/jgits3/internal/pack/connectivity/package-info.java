// SPDX-License-Identifier: Apache-2.0
/** Checks that the objects below others are there, and are of the types that those say. */
package org.jgits3.internal.pack.connectivity;
