import pytest

from tests.lint import samples
from tools.lint import no_bare_keys

HOMES = {
    "authz/permissions.py": """
        class Permission(StrEnum):
            IAM_ORG_READ = "iam.org.read"
    """,
    "events/registry.py": 'ORG_CREATED = event("iam.org.created", OrgCreated)',
}
GOOD = [
    "authorize(ctx, Permission.IAM_ORG_READ, org)",
    "publish(ctx, registry.ORG_CREATED, org)",
    'raise Forbidden("This needs iam.org.read on the org.")',
    '"apps.other.verb"',
]
BAD = ['authorize(ctx, "iam.org.read", org)', 'publish(ctx, "iam.org.created", org)']


@pytest.mark.parametrize("text", GOOD)
def test_a_constant_passes(text: str) -> None:
    assert samples.lines(no_bare_keys.check, HOMES | {"tenancy/commands.py": text}) == []


@pytest.mark.parametrize("text", BAD)
@pytest.mark.parametrize("place", ["tenancy/commands.py", "tenancy/routes.py", "unit.py"])
def test_a_key_spelled_out_is_found(place: str, text: str) -> None:
    assert samples.lines(no_bare_keys.check, HOMES | {place: text}) == [1]
