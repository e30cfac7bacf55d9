// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.fork;

import java.io.IOException;
import org.jgits3.S3RepositoryManager;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.server.program.RepositoryCommand;
import org.jgits3.server.terminal.ProgressBar;
import org.jgits3.server.terminal.Quantity;
import org.jgits3.transfer.ImportSource;
import org.jgits3.transfer.Importer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Makes a template of a repository. */
@Command(
    name = "template",
    description = "Copy a repository into a template, which is never written, and can be forked.")
public final class TemplateCommand extends RepositoryCommand {
  @Parameters(index = "1", paramLabel = "TEMPLATE", description = "The name the template gets.")
  private RepositoryName template;

  /** Result as {@code --json} prints it. */
  private record Made(
      boolean ok, String name, String template, int refs, long objects, long packBytes) {}

  @Override
  public Integer call() throws IOException {
    try (ProgressBar progress = progress();
        S3RepositoryManager manager = program.open(program.settings(), progress.traffic())) {
      program.end().giveUpAtSignal(manager, progress);
      try (ImportSource source = ImportSource.template(manager, name)) {
        print(new Importer(manager, progress).run(source, template));
      }
    }
    return 0;
  }

  private void print(Importer.Imported made) {
    output.result(
        new Made(true, name.value(), template.value(), made.refs(), made.objects(), made.bytes()),
        "Made the template "
            + template
            + " of "
            + name
            + ": "
            + Quantity.of(made.refs(), made.objects(), made.bytes()));
  }
}
