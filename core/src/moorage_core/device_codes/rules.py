"""Codes: how they read, and what can be wrong with one."""

from datetime import timedelta
from typing import Literal

from moorage_core.device_codes.models import Asked, Waiting
from moorage_core.errors import Conflict, Forbidden, NotFound, Unauthenticated

LIFETIME = timedelta(minutes=10)
INTERVAL = 1
"""Seconds between two questions of a program that does not wait."""
ALPHABET = "BCDFGHJKLMNPQRSTVWXZ"
"""No vowels, so that no code is a word, and nothing that reads like a digit. Eight letters are 34
bits: a person types them within minutes, and few guesses are taken."""
HALF = 4

Status = Literal["pending", "approved", "denied"]


class DeviceCodeNotValid(Unauthenticated):
    """The code is expired, used up or was never issued."""

    code = "device_code_not_valid"


class UnknownCode(NotFound):
    """There is no such code that waits for a decision."""

    code = "unknown_code"


class SignInDenied(Forbidden):
    """Somebody refused this sign-in in the console."""

    code = "sign_in_denied"


class AlreadyDecided(Conflict):
    """This code was approved or refused already."""

    code = "already_decided"


class NeedsSession(Forbidden):
    """Only a person in the console can decide about a code."""

    code = "needs_session"


def spelled(typed: str) -> str:
    """A code as it was issued, however somebody typed it."""
    letters = "".join(letter for letter in typed.upper() if letter.isalpha())
    return f"{letters[:HALF]}-{letters[HALF:]}"


def status(code: Asked | Waiting) -> Status:
    if code.approved is None:
        return "pending"
    return "approved" if code.approved else "denied"


def check_decision(code: Asked, *, person: str, approved: bool) -> bool:
    """Whether there is anything to decide. To say the same again changes nothing."""
    if code.approved is None:
        return True
    if code.user_id != person or code.approved != approved:
        raise AlreadyDecided(f"This code is {status(code)} already. Ask for a new one.")
    return False
