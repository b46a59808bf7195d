"""Random bearer secrets: how they are made and what is stored of them."""

import base64
import hashlib
import hmac
import secrets

SESSION = "moor_ses_"
ACCESS_TOKEN = "moor_pat_"
PASSWORD_CODE = "moor_pwc_"
DEVICE_CODE = "moor_dvc_"
SERVICE_ACCOUNT_KEY = "moor_sak_"
PULL = "moor_pul_"
ENROLMENT = "moor_enr_"
NODE = "moor_nod_"
OPERATION_GRANT = "moor_ogr_"
WATCH_GRANT = "moor_wgr_"
_MARK = 12
"""Characters at the end of a marked token."""


def new(prefix: str) -> str:
    """256 random bits behind a prefix that secret scanners and our log scrubber can find."""
    return prefix + secrets.token_urlsafe(32)


def new_marked(prefix: str, key: bytes) -> str:
    """A token that is seen to be ours without a look at the database. That proves nothing more."""
    token = new(prefix)
    return token + _mark(token, key)


def derived(prefix: str, key: bytes, *parts: str | int) -> str:
    """A marked token that can be told again: the same for the same parts, and for nobody else."""
    text = "\0".join(["grant", prefix, *map(str, parts)])
    made = hmac.digest(key, text.encode(), "sha256")
    token = prefix + base64.urlsafe_b64encode(made).decode().rstrip("=")
    return token + _mark(token, key)


def is_marked(token: str, key: bytes) -> bool:
    """Whether we made the token, however long ago: whoever guesses cannot make such a one."""
    body, mark = token[:-_MARK], token[-_MARK:]
    return token.isascii() and hmac.compare_digest(_mark(body, key), mark)


def _mark(text: str, key: bytes) -> str:
    made = hmac.digest(key, b"token\0" + text.encode(), "sha256")
    return base64.urlsafe_b64encode(made)[:_MARK].decode()


def digest(token: str) -> bytes:
    """What is stored of a token. It is random, so a plain hash suffices."""
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).digest()
