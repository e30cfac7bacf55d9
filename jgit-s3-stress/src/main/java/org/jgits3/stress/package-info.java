// SPDX-License-Identifier: Apache-2.0
/** Tests under load and faults, as programs of their own: they take minutes and are judged. */
package org.jgits3.stress;
