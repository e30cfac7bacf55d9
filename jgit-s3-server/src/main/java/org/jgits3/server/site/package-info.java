// SPDX-License-Identifier: Apache-2.0
/** Directories with all repositories of a site, and the report on what became of each. */
package org.jgits3.server.site;
