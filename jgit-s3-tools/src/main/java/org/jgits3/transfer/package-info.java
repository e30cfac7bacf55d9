// SPDX-License-Identifier: Apache-2.0
/**
 * Whole repositories on their way into a store and out of it.
 *
 * <p>Entry types: {@link org.jgits3.transfer.Importer}, {@link org.jgits3.transfer.Exporter} and
 * {@link org.jgits3.transfer.Restorer}.
 */
package org.jgits3.transfer;
