"""Pure decisions about runtime secrets."""

import base64
import binascii
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from moorage_core.errors import ApiError, Conflict, Fault
from moorage_core.operations.models import Operation
from moorage_core.runtime_secrets.models import Found, Refused, RuntimeSecret, Wanting

SECRETS = 100
"""Secrets of one session, or of one instance with the values that it had before."""
SESSIONS = timedelta(days=1)
"""How long a session's secret lasts where nobody says."""
OUTLIVES = timedelta(days=1)
"""How long a value is kept after another has taken its place."""
ROTATING = frozenset({"credential.rotate", "instance.deploy", "member.remove"})
"""Kinds that may rotate: a removal, where the host is lost and keeps what it was given."""
TASK_BYTES = 1 << 20
"""Of all secrets that go with one task."""


class SecretNameTaken(Conflict):
    """The operation has a secret of this name already."""

    code = "secret_name_taken"


class RotationNotHere(Conflict):
    """Secrets are rotated by operations that are for that."""

    code = "rotation_not_here"


class TooManySecrets(Conflict):
    """The operation has as many secrets as it may have."""

    code = "too_many_secrets"


class SecretValueInvalid(ApiError):
    """The value is not what it is said to be."""

    status = 422
    code = "secret_value_invalid"


ERRORS: tuple[type[ApiError], ...] = (
    SecretNameTaken,
    RotationNotHere,
    TooManySecrets,
    SecretValueInvalid,
)


def stands(present: RuntimeSecret, operation: Operation, *, rotate: bool, purpose: str) -> bool:
    """Whether the secret that the instance has is the one that is asked for.

    An operation that was broken off asks again for what it has rotated: that is done once. One that
    is taken back rotates nothing.
    """
    if present.purpose != purpose:
        raise SecretNameTaken(
            f"The instance has a secret named {present.name} for {present.purpose}. Use another "
            "name."
        )
    if not rotate or present.operation_id == operation.id or operation.direction == "undo":
        return True
    if not may_rotate(operation.kind, operation.input):
        raise RotationNotHere(
            f"An operation of the kind {operation.kind} rotates no secrets. Ask for "
            "credential.rotate."
        )
    return False


def may_rotate(kind: str, given: Mapping[str, Any]) -> bool:
    """Whether an operation may put other secrets in the place of those that are there."""
    return kind in ROTATING and (kind != "member.remove" or bool(given.get("lost")))


def check_count(owner: str, present: int) -> None:
    if present >= SECRETS:
        raise TooManySecrets(f"{owner} has {present} secrets, which is as many as it may have.")


def check_one(*, value: bool, generate: bool) -> None:
    if value == generate:
        raise SecretValueInvalid(
            "Give either a value or the number of random bytes to make one of.",
            errors=[Fault("body.value", "either this or generate")],
        )


def decode(value: str, encoding: str) -> bytes:
    """The bytes of a value. A refusal does not repeat it."""
    if encoding == "text":
        return value.encode()
    try:
        return base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        raise SecretValueInvalid(
            "The value is not base64.", errors=[Fault("body.value", "not base64")]
        ) from None


def judge(
    wanting: Sequence[Wanting], found: Iterable[Found], *, now: datetime
) -> dict[str, list[Found] | Refused]:
    """For each task the secrets that go to the node with it, or why it cannot have them.

    A node gets a secret once by operation and fence. The same task may get it again: an answer can
    be lost, and a task that has begun is not handed over again. So may its next attempt, which is
    there only once the one before has ended.
    """
    by_name = {(each.operation_id, each.name): each for each in found}
    holders = {
        (each.id, fence): key for each in by_name.values() for fence, key in each.given.items()
    }
    judged: dict[str, list[Found] | Refused] = {}
    for task in wanting:
        named = [(name, by_name.get((task.operation, name))) for name in task.names]
        refused = [_refusal(name, secret, task, holders, now) for name, secret in named]
        given = [secret for _, secret in named if secret is not None]
        refused.append(_size_refusal(given))
        judged[task.task] = next((each for each in refused if each is not None), given)
        if not any(refused):
            holders |= {(secret.id, str(task.fence)): task.key for secret in given}
    return judged


def _size_refusal(given: Sequence[Found]) -> Refused | None:
    if sum(secret.size for secret in given) <= TASK_BYTES:
        return None
    return Refused(
        "secrets_too_large",
        f"The secrets that the task names are more than {TASK_BYTES} bytes. Use several tasks.",
    )


def broken(name: str) -> Refused:
    return Refused(
        "secret_broken", f"The secret {name} does not open. Store it anew, under another name."
    )


def _refusal(
    name: str,
    secret: Found | None,
    task: Wanting,
    holders: dict[tuple[str, str], str],
    now: datetime,
) -> Refused | None:
    if secret is None:
        return Refused("secret_missing", f"The operation has no secret named {name}.")
    if secret.expires_at is not None and secret.expires_at <= now:
        return Refused("secret_missing", f"The secret {name} has expired. Store it anew.")
    holder = holders.get((secret.id, str(task.fence)), task.key)
    if holder != task.key:
        return Refused(
            "secret_delivered",
            f"The node got the secret {name} with task {holder}. Have one task take it, or store "
            "it under another name.",
        )
    return None
