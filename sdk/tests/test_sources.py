"""Sources through the client."""

import pytest

from moorage import Client, errors
from moorage.models import OrgRead, SourceCredential
from sdk.tests.conftest import new_slug

BASIC = SourceCredential(username="ada", password="engine-room")


async def test_a_source_is_added_changed_and_removed(admin: Client, org: OrgRead) -> None:
    made = await admin.sources.create(
        org,
        slug=new_slug(),
        name="Registry",
        kind="oci",
        url="https://registry.example.org",
        token_url="https://auth.example.org/token",
        credential=BASIC,
    )

    renamed = await admin.sources.update(made, name="Other", enabled=False)
    cleared = await admin.sources.update(renamed, clear=["credential", "token_url"])
    listed = [source.id async for source in admin.sources.list(org=org, page_size=1)]

    assert made.policy_name == f"{org.slug}/{made.slug}"
    assert (renamed.name, renamed.enabled, renamed.has_credential) == ("Other", False, True)
    assert (cleared.has_credential, cleared.token_url) == (False, None)
    assert made.id in listed
    assert await admin.sources.get(made) == cleared
    await admin.sources.delete(cleared)
    with pytest.raises(errors.NotFound):
        await admin.sources.get(made)


async def test_a_source_that_moves_needs_its_credential_again(admin: Client, org: OrgRead) -> None:
    made = await admin.sources.create(
        org,
        slug=new_slug(),
        name="Files",
        kind="https",
        url="https://files.example.org",
        credential=SourceCredential(token="t0ken"),
    )

    with pytest.raises(errors.SourceCredentialNeeded):
        await admin.sources.update(made, url="https://elsewhere.example.org")
    moved = await admin.sources.update(made, url="https://elsewhere.example.org", credential=BASIC)

    assert moved.url == "https://elsewhere.example.org"


def test_a_credential_does_not_show_itself() -> None:
    shown = f"{BASIC!r} {BASIC} {SourceCredential(token='t0ken')!r}"

    assert "engine-room" not in shown
    assert "t0ken" not in shown
