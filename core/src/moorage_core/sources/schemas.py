"""Wire shapes of sources."""

from typing import Annotated, Literal

from pydantic import Field, SecretStr, StringConstraints

from moorage_core.kit.ids import OrgId, SourceId
from moorage_core.kit.wire import Input, Moment, Name, Output, Slug

MAX_URL = 500
MAX_SECRET = 8000

SourceKind = Literal["oci", "https"]
Url = Annotated[
    str,
    StringConstraints(min_length=8, max_length=MAX_URL),
    Field(description="https, with no user name, no query and no fragment."),
]
TokenUrl = Annotated[
    str,
    StringConstraints(min_length=8, max_length=MAX_URL),
    Field(
        description="Where a registry's tokens come from, if not from the registry's own host. "
        "The credential is sent there too."
    ),
]
UserName = Annotated[str, StringConstraints(pattern=r"^[^:\x00-\x1f\x7f-\x9f]{1,255}$")]
Secret = Annotated[
    SecretStr,
    Field(min_length=1, max_length=MAX_SECRET, description="Kept sealed, and never shown again."),
]


class SourceCredential(Input):
    """A user name with its password, or a token."""

    username: UserName | None = None
    password: Secret | None = None
    token: Secret | None = None


class SourceCreate(Input):
    slug: Slug
    """What policy calls it; `<org's slug>/<slug>` where it is a tenant's. Cannot be changed."""
    name: Name
    kind: SourceKind
    """`oci`: a registry, from which blobs are fetched by digest. `https`: files below a URL."""
    url: Url
    token_url: TokenUrl | None = None
    credential: SourceCredential | None = None
    enabled: bool = True


class SourceUpdate(Input):
    """What is left out stays as it is. The kind stays: artifacts are addressed by it."""

    name: Name | None = None
    url: Url | None = None
    """Where there is a credential, give it anew or clear it: it would be sent elsewhere."""
    token_url: TokenUrl | None = None
    credential: SourceCredential | None = None
    clear: Annotated[list[Literal["credential", "token_url"]], Field(max_length=2)] | None = None
    """What to take away."""
    enabled: bool | None = None


class SourceRead(Output):
    id: SourceId
    org_id: OrgId
    slug: str
    policy_name: str
    """What overlays call it."""
    name: str
    kind: str
    url: str
    token_url: str | None
    has_credential: bool
    shared: bool
    """Whether every tenant can use it."""
    enabled: bool
    version: int
    created_at: Moment
    updated_at: Moment
