"""What may happen to apps, versions and channels, and who sees them. Pure."""

from moorage_core.authz.principals import Principal
from moorage_core.catalog.models import App, Sight


def sight(principal: Principal, key: str | None) -> Sight:
    """Where the principal holds a key; without one, where they hold anything."""
    held = [g for g in principal.grants if (g.permissions if key is None else key in g.permissions)]
    return Sight(
        orgs=sorted({grant.org for grant in held}),
        whole=sorted({grant.org for grant in held if grant.project is None}),
        projects=sorted({grant.project for grant in held if grant.project}),
    )


def is_own(thing: App, seen: Sight) -> bool:
    """Whether it lives where the key is held, and is not merely shown there."""
    return thing.org_id in seen.whole or thing.project_id in seen.projects


def is_offered_to(app: App, *, org: str, project: str) -> bool:
    """Whether a project sees the app, whoever asks."""
    same_org = app.visibility == "org" and app.org_id == org
    return app.visibility == "platform" or same_org or app.project_id == project
