// SPDX-License-Identifier: Apache-2.0
/** End-to-end tests with packs and objects of gigabytes. */
package org.jgits3.server.e2e.large;
