"""Where a provider lives and what it publishes about itself. Pure.

Everything a sign-in is sent to must be https. Plain http is for a provider on loopback, and only
such a provider may name plain addresses.
"""

import ipaddress
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import SplitResult, urlsplit

from moorage_core.errors import Fault
from moorage_core.oidc import rules

_HOST = re.compile(r"[A-Za-z0-9._:-]{1,255}")
_NEEDED = ("authorization_endpoint", "token_endpoint", "jwks_uri")


@dataclass(frozen=True)
class Metadata:
    """The part of a discovery document that a sign-in needs."""

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    userinfo_endpoint: str | None
    secret_in_form: bool
    """The token endpoint takes the client secret in the form only, not as basic authentication."""
    names_itself: bool
    """Every answer to the browser carries `iss` (RFC 9207)."""


def check_issuer(issuer: str) -> str:
    """Refuse an issuer that could not be trusted to be the one that was meant."""
    parts = _split(issuer)
    if parts is None or not _is_safe(parts, plain=True) or parts.query or parts.fragment:
        wanted = "https (http on loopback only), no user name, query or fragment"
        raise rules.IssuerNotAllowed(
            "The issuer is not an address that can be trusted.",
            errors=[Fault("body.issuer", wanted)],
        )
    return issuer


def discovery_url(issuer: str) -> str:
    return issuer.removesuffix("/") + "/.well-known/openid-configuration"


def read(document: Mapping[str, Any], *, issuer: str) -> Metadata:
    """Refuse a document of another issuer, or one without what is needed."""
    said = document.get("issuer")
    if said != issuer:
        raise rules.ProviderMisconfigured(
            f"The provider was added with the issuer {issuer}, but calls itself "
            f"{rules.printable(said)}. A platform admin can add it again with exactly that issuer."
        )
    if lacking := [n for n in _NEEDED if not _is_endpoint(document.get(n), issuer=issuer)]:
        raise rules.ProviderMisconfigured(
            f"The provider {issuer} publishes no usable {', '.join(lacking)}. "
            "Each has to be an https address."
        )
    userinfo = document.get("userinfo_endpoint")
    return Metadata(
        issuer=issuer,
        authorization_endpoint=document["authorization_endpoint"],
        token_endpoint=document["token_endpoint"],
        jwks_uri=document["jwks_uri"],
        userinfo_endpoint=userinfo if _is_endpoint(userinfo, issuer=issuer) else None,
        secret_in_form=_secret_in_form(document, issuer=issuer),
        names_itself=document.get("authorization_response_iss_parameter_supported") is True,
    )


def _secret_in_form(document: Mapping[str, Any], *, issuer: str) -> bool:
    offered: object = document.get("token_endpoint_auth_methods_supported", ["client_secret_basic"])
    if isinstance(offered, list) and "client_secret_basic" in offered:
        return False
    if isinstance(offered, list) and "client_secret_post" in offered:
        return True
    raise rules.ProviderMisconfigured(
        f"The provider {issuer} takes no client secret: it offers neither client_secret_basic nor "
        "client_secret_post."
    )


def _is_endpoint(url: object, *, issuer: str) -> bool:
    parts = _split(url) if isinstance(url, str) and url.isascii() and url.isprintable() else None
    return parts is not None and _is_safe(parts, plain=issuer.startswith("http:"))


def _split(url: str) -> SplitResult | None:
    try:
        parts = urlsplit(url)
        named = _HOST.fullmatch(parts.hostname or "") is not None
        return parts if named and parts.port != 0 else None
    except ValueError:
        return None


def _is_safe(parts: SplitResult, *, plain: bool) -> bool:
    if parts.username is not None or parts.password is not None:
        return False
    on_loopback = plain and parts.scheme == "http" and _is_loopback(parts.hostname or "")
    return parts.scheme == "https" or on_loopback


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
