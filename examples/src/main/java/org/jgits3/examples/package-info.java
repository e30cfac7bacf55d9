// SPDX-License-Identifier: Apache-2.0
/** Programs that embed the library, each in one class to copy from. */
package org.jgits3.examples;
