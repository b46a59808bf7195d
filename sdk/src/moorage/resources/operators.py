"""App operators."""

from moorage import _operations as operations
from moorage._calls import Group, call, listing
from moorage._model import id_of, version_of
from moorage._operation import Arguments
from moorage.models import (
    AppOperatorCreate,
    AppOperatorRead,
    AppRead,
    ProjectRead,
    ServiceAccountRead,
)

Operator = AppOperatorRead | str


class Operators(Group):
    """App operators: the identities as which controllers claim an app's operations."""

    @listing(operations.LIST_APP_OPERATORS, AppOperatorRead)
    def list(self, project: ProjectRead | str, *, page_size: int | None = None) -> Arguments:
        """The app operators that a project registered."""
        return Arguments(path={"project": id_of(project)}, query={"limit": page_size})

    @listing(operations.LIST_OPERATORS_OF_APP, AppOperatorRead)
    def list_of_app(self, app: AppRead | str, *, page_size: int | None = None) -> Arguments:
        """The operators of an app that can serve you: its publisher's, and your own."""
        return Arguments(path={"app": id_of(app)}, query={"limit": page_size})

    @call(operations.REGISTER_APP_OPERATOR, AppOperatorRead)
    def register(
        self,
        project: ProjectRead | str,
        *,
        app: AppRead | str,
        service_account: ServiceAccountRead | str,
        name: str,
    ) -> Arguments:
        """Register a service account that may claim, and nothing else, as an app's operator."""
        return Arguments(
            path={"project": id_of(project)},
            body=AppOperatorCreate(
                app=id_of(app), service_account=id_of(service_account), name=name
            ),
        )

    @call(operations.GET_APP_OPERATOR, AppOperatorRead)
    def get(self, operator: Operator) -> Arguments:
        """One app operator."""
        return Arguments(path={"operator": id_of(operator)})

    @call(operations.REMOVE_APP_OPERATOR, None)
    def remove(self, operator: Operator, *, version: int | None = None) -> Arguments:
        """Remove an app operator. It can claim nothing more."""
        return Arguments(path={"operator": id_of(operator)}, version=version_of(operator, version))
