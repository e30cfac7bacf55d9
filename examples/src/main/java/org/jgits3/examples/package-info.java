// SPDX-License-Identifier: Apache-2.0
/** Programs that embed the library, each in one class to copy from, on a server that they share. */
package org.jgits3.examples;
