// SPDX-License-Identifier: Apache-2.0
/** Opens the store of a location. */
package org.jgits3.internal.store;
