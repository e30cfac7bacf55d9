// SPDX-License-Identifier: Apache-2.0
/** A store of which a process only reads. */
package org.jgits3.internal.store;
