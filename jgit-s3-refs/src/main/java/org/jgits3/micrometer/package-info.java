// SPDX-License-Identifier: Apache-2.0
/** Meters for programs that use Micrometer, which is an optional dependency. */
package org.jgits3.micrometer;
