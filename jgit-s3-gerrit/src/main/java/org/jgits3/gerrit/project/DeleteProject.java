// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.project;

import com.google.gerrit.common.data.GlobalCapability;
import com.google.gerrit.entities.Project;
import com.google.gerrit.extensions.annotations.RequiresCapability;
import com.google.gerrit.extensions.common.Input;
import com.google.gerrit.extensions.restapi.Response;
import com.google.gerrit.extensions.restapi.RestApiException;
import com.google.gerrit.extensions.restapi.RestModifyView;
import com.google.gerrit.server.project.ProjectResource;
import com.google.inject.Inject;
import java.io.IOException;
import org.jgits3.gerrit.repository.S3GitRepositoryManager;

/**
 * {@code POST /projects/NAME/s3-delete}: deletes a project with all its changes. Each node forgets
 * the project when it follows the deletion.
 */
@RequiresCapability(GlobalCapability.ADMINISTRATE_SERVER)
public class DeleteProject implements RestModifyView<ProjectResource, Input> {
  private final S3GitRepositoryManager repositories;
  private final ProjectLife life;

  @Inject
  DeleteProject(S3GitRepositoryManager repositories, ProjectLife life) {
    this.repositories = repositories;
    this.life = life;
  }

  @Override
  public Response<String> apply(ProjectResource resource, Input input)
      throws RestApiException, IOException {
    Project.NameKey project = resource.getNameKey();
    return life.end(project, Response.none(), () -> repositories.delete(project));
  }
}
