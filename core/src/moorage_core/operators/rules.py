"""Who can be an app's operator, and whom one serves. Pure."""

from collections.abc import Sequence

from moorage_core.authz.permissions import Permission
from moorage_core.catalog.models import App
from moorage_core.errors import ApiError, Conflict, Fault
from moorage_core.kit.counting import counted
from moorage_core.service_accounts.models import ServiceAccount

PUBLISHER, PROJECT = "publisher", "project"


class NotAnOperatorAccount(ApiError):
    """An app operator may claim operations and nothing else."""

    status = 422
    code = "not_an_operator_account"


class AppNotOffered(Conflict):
    """The project does not see this app."""

    code = "app_not_offered"


class AlreadyRegistered(Conflict):
    """The service account is an operator of this app already."""

    code = "already_registered"


class ServesInstances(Conflict):
    """Instances are served by this operator."""

    code = "operator_serves_instances"


def check_serves_nobody(id: str, named: Sequence[str], total: int) -> None:
    """Those of other tenants are counted: who runs what is theirs to tell."""
    if total:
        others = total - len(named)
        shown = [*named, *([f"{others} more, or of others"] if others else [])]
        raise ServesInstances(
            f"App operator {id} serves {counted(total, 'instance', 'instances')}: "
            f"{', '.join(shown)}. They would have nobody to act for them. Disable its service "
            "account if it must stop at once: then they say that nobody listens."
        )


def check_account(account: ServiceAccount) -> None:
    """Refuse an identity that could do anything but claim."""
    needed = [str(Permission.APPS_OPERATION_CLAIM)]
    if account.permissions != needed:
        raise NotAnOperatorAccount(
            f"Service account {account.id} must hold exactly {needed[0]}; it holds "
            f"{', '.join(account.permissions) or 'nothing'}. Make an account for this purpose.",
            errors=[Fault("body.service_account", f"its permissions must be exactly {needed[0]}")],
        )


def check_offered(app: App, project: str, *, offered: bool) -> None:
    if not offered:
        raise AppNotOffered(
            f"App {app.slug} is not shown to project {project}, so the project has no instances of "
            "it that an operator could serve. Its publisher can show it to more projects."
        )


def serves(app: App, project: str) -> str:
    """The publisher's operators serve whoever chooses them, others their own project."""
    return PUBLISHER if app.project_id == project else PROJECT
