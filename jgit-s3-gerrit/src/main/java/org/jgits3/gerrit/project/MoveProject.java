// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.project;

import com.google.common.base.Strings;
import com.google.gerrit.common.data.GlobalCapability;
import com.google.gerrit.entities.Project;
import com.google.gerrit.entities.ProjectUtil;
import com.google.gerrit.extensions.annotations.RequiresCapability;
import com.google.gerrit.extensions.restapi.BadRequestException;
import com.google.gerrit.extensions.restapi.Response;
import com.google.gerrit.extensions.restapi.RestApiException;
import com.google.gerrit.extensions.restapi.RestModifyView;
import com.google.gerrit.server.project.ProjectResource;
import com.google.inject.Inject;
import java.io.IOException;
import org.jgits3.gerrit.repository.ProjectNames;
import org.jgits3.gerrit.repository.S3GitRepositoryManager;

/**
 * {@code POST /projects/NAME/s3-move}: gives a project another name. Each node moves the changes of
 * the project when it follows the move. After a failure the project has the old name or the new
 * one, and the request can be repeated.
 */
@RequiresCapability(GlobalCapability.ADMINISTRATE_SERVER)
public class MoveProject implements RestModifyView<ProjectResource, MoveProject.Input> {
  private final S3GitRepositoryManager repositories;
  private final ProjectLife life;

  @Inject
  MoveProject(S3GitRepositoryManager repositories, ProjectLife life) {
    this.repositories = repositories;
    this.life = life;
  }

  /** The body of the request. */
  static class Input {
    /** Name that the project gets. */
    String name;
  }

  @Override
  public Response<String> apply(ProjectResource resource, Input input)
      throws RestApiException, IOException {
    if (input == null || Strings.isNullOrEmpty(input.name)) {
      throw new BadRequestException("name is required: {\"name\": \"NEW\"}");
    }
    Project.NameKey from = resource.getNameKey();
    Project.NameKey to = Project.nameKey(ProjectUtil.sanitizeProjectName(input.name));
    if (ProjectNames.repository(to).isEmpty()) {
      throw new BadRequestException(to + " is no name for a project");
    }
    return life.end(from, Response.ok(to.get()), () -> repositories.rename(from, to));
  }
}
