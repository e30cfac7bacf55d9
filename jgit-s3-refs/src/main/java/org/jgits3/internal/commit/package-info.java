// SPDX-License-Identifier: Apache-2.0
/**
 * The commit loop: the only way a manifest changes is one conditional PUT.
 *
 * <p>Entry type: {@link org.jgits3.internal.commit.ManifestCommitter}, one for each repository in a
 * process. It joins the changes of many threads into one write.
 */
package org.jgits3.internal.commit;
