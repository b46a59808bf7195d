"""The same key, the same answer, the change made once.

A key belongs to (principal, route). Its lock is taken in the round trip that begins the
transaction, so that duplicates queue behind the first; the answer is stored by the transaction that
made the change. A crash leaves neither. Answers that carry a secret keep the id of what was made
and never the body.
"""

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from moorage_core.authz.principals import Principal
from moorage_core.errors import ApiError, Conflict, Fault, Malformed
from moorage_core.kit.db import Prelude
from moorage_core.unit import Answer

HEADER = "idempotency-key"
REPLAYED = "idempotency-replayed"
_KEPT_HEADERS = ("etag", "location")


class KeyMissing(ApiError):
    """Every change needs an Idempotency-Key."""

    status = 400
    code = "idempotency_key_required"


class KeyReused(ApiError):
    """This idempotency key was used for another request."""

    status = 422
    code = "idempotency_key_reused"


class InProgress(Conflict):
    """The same request is still being worked on."""

    code = "in_progress"


class AlreadyIssued(Conflict):
    """The secret was shown once and is not kept."""

    code = "already_issued"


ERRORS: tuple[type[ApiError], ...] = (KeyMissing, KeyReused, InProgress)


@dataclass(frozen=True)
class Key:
    """One use of an idempotency key."""

    principal: str
    route: str
    digest: bytes
    fingerprint: bytes

    def prelude(self) -> Prelude:
        """Take the key's lock, then look for its answer, both in the round trip of BEGIN."""
        lock = int.from_bytes(
            hashlib.sha256(self.principal.encode() + self.digest).digest()[:8], signed=True
        )
        return Prelude(
            f"SELECT pg_advisory_xact_lock({lock}); "
            "SELECT fingerprint, status, headers, body, resource_id FROM idempotency_answers "
            f"WHERE principal = '{self.principal}' AND digest = '\\x{self.digest.hex()}'",
            when_locked=InProgress(
                "A request with this Idempotency-Key is still running. Send it again in a moment."
            ),
        )

    def replay(self, stored: tuple[Any, ...], *, rotate: str | None) -> Response:
        """The answer given before, or a refusal if the key came with another request."""
        fingerprint, status, headers, body, resource_id = stored
        if bytes(fingerprint) != self.fingerprint:
            raise KeyReused(
                "This Idempotency-Key came with another body, query or If-Match before. "
                "Use a new key for a new request."
            )
        if rotate is not None:
            raise AlreadyIssued(
                f"This request made {resource_id} before; its secret was shown once and is not"
                f" stored. To get a new one: {rotate}",
                resource_id=resource_id,
            )
        return Response(
            bytes(body or b""),
            status,
            headers={**headers, REPLAYED: "true"},
            media_type="application/json" if body else None,
        )

    def answer(self, response: Response, *, secret: bool, resource_id: str | None) -> Answer:
        return Answer(
            digest=self.digest,
            route=self.route,
            fingerprint=self.fingerprint,
            status=response.status_code,
            headers={n: response.headers[n] for n in _KEPT_HEADERS if n in response.headers},
            body=None if secret else bytes(response.body),
            resource_id=resource_id,
        )


def key_of(request: Request, *, principal: Principal, route: str, body: bytes) -> Key:
    """The request's key, checked, with the fingerprint of what it asks for."""
    value = request.headers.get(HEADER, "")
    if not value:
        raise KeyMissing(
            "Send an Idempotency-Key header: any text of your own, up to 128 characters, new for"
            " each new request and the same when you retry one."
        )
    if len(value) > 128 or not all(" " < letter <= "~" for letter in value):
        raise Malformed(
            "The Idempotency-Key is not usable.",
            errors=[Fault("header.Idempotency-Key", "1 to 128 visible ASCII characters")],
        )
    # A token that holds less than its owner must not be shown what its owner was answered.
    scope = principal.restricted_by or ""
    digest = hashlib.sha256(f"{route}\n{scope}\n{value}".encode()).digest()
    return Key(principal.id, route, digest, _fingerprint(request, body))


def _fingerprint(request: Request, body: bytes) -> bytes:
    parts = (
        request.url.path.encode(),
        request.scope["query_string"],
        request.headers.get("if-match", "").encode(),
        _canonical(body),
    )
    return hashlib.sha256(b"\n".join(hashlib.sha256(part).digest() for part in parts)).digest()


def _canonical(body: bytes) -> bytes:
    """JSON with its keys in order, so another client library's spelling is the same request."""
    try:
        return json.dumps(json.loads(body), sort_keys=True, separators=(",", ":")).encode()
    except (ValueError, RecursionError):
        return body
