"""Where a source may point, what it is given to prove itself, and what it may answer. Pure."""

import base64
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast
from urllib.parse import quote, urljoin, urlsplit

from moorage_core.errors import ApiError, Busy, Conflict, Fault, Malformed
from moorage_core.kit import destinations
from moorage_core.kit.ids import PLATFORM_ORG
from moorage_core.sources.models import STORE, Source
from moorage_core.sources.schemas import MAX_URL, SourceCredential, SourceUpdate

REDIRECTS = 3
MAX_REDIRECT = 8000
"""Signed addresses of object stores are long."""
MAX_TOKEN = 16_000
GRACE = 60.0
"""Seconds that a source has besides those that its bytes need."""
_VISIBLE = re.compile(r"[!-~]+")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_CHALLENGE = re.compile(r"(?:^|,)\s*bearer\s+(.{1,4000})", re.I | re.S)
_PARAMETER = re.compile(r'([a-z_]{1,32})\s*=\s*(?:"([^"\\]*)"|([^\s",]+))\s*(?:,|$)', re.I)
_PORTS = {"http": 80, "https": 443}


class UrlNotAllowed(Malformed):
    """A source cannot be there."""

    code = "source_url_not_allowed"


class CredentialNotUsable(Malformed):
    """This is not a credential that can be sent to a source."""

    code = "source_credential_not_usable"


class CredentialNeeded(Conflict):
    """The source's credential must be given again."""

    code = "source_credential_needed"


class SlugTaken(Conflict):
    """The org has a source of this slug already."""

    code = "slug_taken"


class SlugReserved(ApiError):
    """No source may be called so."""

    status = 422
    code = "slug_reserved"


class SourceInUse(Conflict):
    """Artifacts come from this source."""

    code = "source_in_use"


class SourceNotUsable(Conflict):
    """The artifact's source cannot be used now."""

    code = "source_not_usable"


class SourceUnreachable(Busy):
    """The artifact's source cannot be reached."""

    code = "source_unreachable"


class SourceRefused(ApiError):
    """The artifact's source did not give it out."""

    status = 502
    code = "source_refused"


class SourceMismatch(ApiError):
    """What the source has is not the artifact."""

    status = 502
    code = "source_mismatch"


# Where a source may be --------------------------------------------------------------------------


def check_url(url: str, *, private: bool, place: str = "url") -> str:
    """The URL in the one spelling we keep, without a slash at its end."""
    try:
        spelt = _spell(url, longest=MAX_URL, private=private)
        if "?" in url:
            raise destinations.NotUsable("a query (?…) cannot be part of it")
    except destinations.NotUsable as err:
        raise UrlNotAllowed(
            "The source's URL cannot be used.", errors=[Fault(f"body.{place}", str(err))]
        ) from err
    return spelt.rstrip("/")


def _spell(url: str, *, longest: int, private: bool) -> str:
    """Plain HTTP never leaves this machine."""
    spelt = destinations.spell(url, longest=longest, private=private)
    parts = urlsplit(spelt)
    if parts.scheme == "http" and not destinations.is_this_machine(parts.hostname or ""):
        raise destinations.NotUsable("the scheme must be https")
    return spelt


def check_token_url(kind: str, url: str | None, *, private: bool) -> str | None:
    if url is None:
        return None
    if kind != "oci":
        raise UrlNotAllowed(
            "Only registries have tokens made elsewhere.",
            errors=[Fault("body.token_url", "only for sources of the kind oci")],
        )
    return check_url(url, private=private, place="token_url")


def check_slug(org: str, slug: str) -> None:
    """Refuse a shared source that policy could not tell from the platform's own store."""
    if org == PLATFORM_ORG and slug == STORE:
        raise SlugReserved(
            f"Policy calls the platform's own store {STORE}. Choose another slug.",
            errors=[Fault("body.slug", "reserved")],
        )


def name_taken(name: str) -> SlugTaken:
    return SlugTaken(
        f"Policy called a source of another org {name}, and layers may name it still. "
        "Choose another slug."
    )


def check_unused(source: Source, *, uses: int) -> None:
    if uses:
        raise SourceInUse(
            f"{uses} {'artifact comes' if uses == 1 else 'artifacts come'} from the source"
            f" {source.policy_name}. Delete them first, or disable the source."
        )


# What it is given to prove itself ---------------------------------------------------------------


@dataclass(frozen=True)
class Credential:
    """A user name with a password, or a token, which has no user name."""

    username: str | None
    secret: str = field(repr=False)

    def packed(self) -> bytes:
        """As the secret store keeps it."""
        return json.dumps([self.username, self.secret]).encode()

    @property
    def authorization(self) -> str:
        if self.username is None:
            return f"Bearer {self.secret}"
        pair = f"{self.username}:{self.secret}".encode()
        return f"Basic {base64.b64encode(pair).decode()}"


def unpack(packed: bytes) -> Credential:
    username, secret = json.loads(packed)
    return Credential(username, secret)


def read_credential(given: SourceCredential) -> Credential:
    token = given.token.get_secret_value() if given.token else None
    password = given.password.get_secret_value() if given.password else None
    if token is not None and given.username is None and password is None:
        if not _VISIBLE.fullmatch(token):
            raise _not_a_credential("token", "a token is made of visible ASCII characters")
        return Credential(None, token)
    if token is None and given.username is not None and password is not None:
        if _CONTROL.search(password):
            raise _not_a_credential("password", "a password has no control characters")
        return Credential(given.username, password)
    raise _not_a_credential("", "give username and password, or token alone")


def _not_a_credential(part: str, reason: str) -> CredentialNotUsable:
    place = f"body.credential.{part}".rstrip(".")
    return CredentialNotUsable(
        "The credential cannot be used for a source.", errors=[Fault(place, reason)]
    )


def check_clear(change: SourceUpdate) -> None:
    """Nothing is given and taken away at once."""
    both = [name for name in change.clear or () if getattr(change, name) is not None]
    if both:
        raise CredentialNotUsable(
            f"The change gives and clears {', '.join(both)}. Say one of the two.",
            errors=[Fault("body.clear", f"{name} is given too") for name in both],
        )


def check_move(source: Source, change: SourceUpdate, *, url: str, token_url: str | None) -> None:
    """A secret goes only where whoever gave it has sent it."""
    settled = change.credential is not None or "credential" in (change.clear or ())
    moved = url != source.url or token_url not in (None, source.token_url)
    if source.has_credential and moved and not settled:
        raise CredentialNeeded(
            f"The credential of the source {source.policy_name} was given for another address."
            " Give it again with the new address, or clear it."
        )


# What to ask for --------------------------------------------------------------------------------


def address(source: Source, *, kind: str, location: str, digest: str) -> str:
    """Where the bytes are: a blob of a registry's repository, or a file below the source's URL."""
    steps = location.split("/")
    if {"", ".", ".."} & set(steps):
        raise SourceRefused(f"The location of the artifact at {source.policy_name} is no path.")
    path = quote(location, safe="/:@!$&'()*+,;=-._~")
    if kind == "oci":
        return f"{source.url}/v2/{path}/blobs/{digest}"
    return f"{source.url}/{path}"


def patience(size: int, *, slowest: int) -> float:
    """The most seconds that a download may take, whoever waits for it not counted."""
    return GRACE + size / slowest


def is_same_origin(one: str, other: str) -> bool:
    return _origin(one) == _origin(other)


def _origin(url: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(url)
    return parts.scheme, parts.hostname, parts.port or _PORTS.get(parts.scheme)


# What it may answer -----------------------------------------------------------------------------


def follow(source: Source, url: str, location: str | None, *, private: bool) -> str:
    """Where a redirect leads."""
    try:
        return _spell(urljoin(url, location or ""), longest=MAX_REDIRECT, private=private)
    except (destinations.NotUsable, ValueError) as err:
        raise SourceRefused(
            f"The source {source.policy_name} redirects to an address that is not allowed."
        ) from err


def read_challenge(headers: Sequence[str]) -> Mapping[str, str] | None:
    """What a registry says about where its tokens come from; None where it says nothing."""
    for header in headers:
        if challenge := _CHALLENGE.search(header):
            return {
                name.lower(): quoted or plain
                for name, quoted, plain in _PARAMETER.findall(challenge[1])
            }
    return None


def token_address(
    source: Source, challenge: Mapping[str, str], *, repository: str, private: bool
) -> str:
    """Where to ask for a token that may pull from one repository, and nothing else.

    The registry's own word counts only for its own origin: who else is to be sent the credential
    is for the source's owner to say.
    """
    try:
        realm = _spell(challenge.get("realm", ""), longest=MAX_URL, private=private)
    except destinations.NotUsable as err:
        raise SourceRefused(
            f"The source {source.policy_name} names no address for tokens that could be used."
        ) from err
    known = source.token_url is not None and realm.rstrip("/") == source.token_url
    if "?" in realm or not (known or is_same_origin(realm, source.url)):
        host = urlsplit(realm).hostname
        raise SourceRefused(
            f"The source {source.policy_name} wants a token made at {host}. If that is right, its"
            " owner can name the address as `token_url` of the source."
        )
    scope = quote(f"repository:{repository}:pull", safe=":/")
    service = challenge.get("service")
    named = f"service={quote(service[:255], safe='')}&" if service else ""
    return f"{realm}?{named}scope={scope}"


def read_token(source: Source, status: int, document: object) -> str:
    """The token in the answer of a token service."""
    if status == 200 and isinstance(document, dict):
        fields = cast(dict[str, object], document)
        for token in (fields.get("token"), fields.get("access_token")):
            if isinstance(token, str) and len(token) <= MAX_TOKEN and _VISIBLE.fullmatch(token):
                return token
    raise SourceRefused(f"The source {source.policy_name} gave no token: status {status}.")


def check_status(source: Source, status: int) -> None:
    """Refuse every answer but the bytes themselves."""
    if status == 200:
        return
    name = source.policy_name
    if status in (401, 403):
        has = "does not accept its credential" if source.has_credential else "wants a credential"
        raise SourceRefused(f"The source {name} {has}. Its owner can give it another one.")
    if status in (404, 410):
        raise SourceRefused(f"The source {name} has no such artifact any more.")
    if status == 429 or status >= 500:
        raise unreachable(source, f"it answered with the status {status}")
    raise SourceRefused(f"The source {name} answered with the status {status}.")


def unreachable(source: Source, reason: str) -> SourceUnreachable:
    return SourceUnreachable(
        f"The source {source.policy_name} cannot be read: {reason}. Try again shortly.",
        retry_after=10,
    )


def check_length(source: Source, announced: str | None, *, size: int) -> None:
    """Refuse at once what says itself that it is not as long as the artifact."""
    if announced is not None and announced != str(size):
        raise mismatch(source, f"it has another length than the artifact's {size} bytes")


def mismatch(source: Source, reason: str) -> SourceMismatch:
    return SourceMismatch(
        f"What the source {source.policy_name} has is not the artifact: {reason}."
        " Its publisher must put the right bytes there."
    )
