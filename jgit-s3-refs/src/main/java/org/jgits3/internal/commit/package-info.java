// SPDX-License-Identifier: Apache-2.0
/**
 * The commit loop: the only way a manifest changes is one conditional PUT.
 *
 * <p>Entry type: {@link org.jgits3.internal.commit.ManifestCommitter}, one for each repository in a
 * process. It joins the changes of many threads into one write.
 *
 * <p>Six words name a commit and its parts. A <em>change</em> is what one caller wants; it makes a
 * <em>proposal</em> for the manifest that it is applied to, and gets one <em>verdict</em>, a value
 * or a failure. The changes that are tried together are a <em>batch</em>. A batch has one
 * <em>write</em>, made in <em>attempts</em> of the same bytes until its outcome is known.
 */
package org.jgits3.internal.commit;
