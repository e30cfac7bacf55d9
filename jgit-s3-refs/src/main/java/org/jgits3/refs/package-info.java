// SPDX-License-Identifier: Apache-2.0
/** Being written. */
package org.jgits3.refs;
