// SPDX-License-Identifier: Apache-2.0
/** The repositories of a Gerrit in a bucket. */
package org.jgits3.gerrit;
