"""Projects."""

from moorage import _operations as operations
from moorage._calls import Group, call, listing
from moorage._model import id_of, version_of
from moorage._operation import Arguments
from moorage.models import OrgRead, ProjectCreate, ProjectRead, ProjectUpdate


class Projects(Group):
    """Projects: where the things of an org live."""

    @listing(operations.LIST_PROJECTS, ProjectRead)
    def list(self, org: OrgRead | str, *, page_size: int | None = None) -> Arguments:
        """The projects of an org that you may see."""
        return Arguments(path={"org": id_of(org)}, query={"limit": page_size})

    @call(operations.CREATE_PROJECT, ProjectRead)
    def create(self, org: OrgRead | str, *, slug: str, name: str) -> Arguments:
        """Create a project in an org."""
        return Arguments(path={"org": id_of(org)}, body=ProjectCreate(slug=slug, name=name))

    @call(operations.GET_PROJECT, ProjectRead)
    def get(self, project: ProjectRead | str) -> Arguments:
        """One project."""
        return Arguments(path={"project": id_of(project)})

    @call(operations.UPDATE_PROJECT, ProjectRead)
    def update(
        self, project: ProjectRead | str, *, name: str, version: int | None = None
    ) -> Arguments:
        """Rename a project. Takes the project as read, or its id and the version to change."""
        return Arguments(
            path={"project": id_of(project)},
            body=ProjectUpdate(name=name),
            version=version_of(project, version),
        )

    @call(operations.DELETE_PROJECT, None)
    def delete(self, project: ProjectRead | str, *, version: int | None = None) -> Arguments:
        """Delete a project. Its service accounts stop working at once."""
        return Arguments(path={"project": id_of(project)}, version=version_of(project, version))
