"""Random bearer secrets: how they are made and what is stored of them."""

import hashlib
import secrets

SESSION = "moor_ses_"
ACCESS_TOKEN = "moor_pat_"
PASSWORD_CODE = "moor_pwc_"
SERVICE_ACCOUNT_KEY = "moor_sak_"
PULL = "moor_pul_"
ENROLMENT = "moor_enr_"
NODE = "moor_nod_"
OPERATION_GRANT = "moor_ogr_"


def new(prefix: str) -> str:
    """256 random bits behind a prefix that secret scanners and our log scrubber can find."""
    return prefix + secrets.token_urlsafe(32)


def digest(token: str) -> bytes:
    """What is stored of a token. It is random, so a plain hash suffices."""
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).digest()
