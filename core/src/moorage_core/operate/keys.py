"""`moor keys rotate`: new key files for the secret store and the audit log, without a stop.

A running platform takes them up by itself: secrets are moved to the new master key within a minute,
the next seal is signed with the new audit key. Old files stay: what they sealed needs them until it
has been moved, and backups do for as long as they are kept.
"""

from enum import StrEnum
from typing import Annotated

import typer

from moorage_core.audit import keyring as audit_keys
from moorage_core.embedded import folder as folders
from moorage_core.embedded.errors import OperatorError
from moorage_core.operate import arguments
from moorage_core.secrets import keyring as secret_keys


class Which(StrEnum):
    SECRETS = "secrets"
    AUDIT = "audit"


class NoKeys(OperatorError):
    """There is no platform here whose keys could be rotated."""

    exit_code = 4


def rotate(
    which: Annotated[Which, typer.Argument(help="Which key to renew.")],
    data: arguments.Data = None,
    config: arguments.Config = None,
) -> None:
    """Put a new key beside the one in use; the platform takes it up while it runs."""
    with arguments.refusals():
        settings = arguments.load_settings(config, data=data)
        keys = settings.data / "keys"
        if not keys.is_dir() or not any(keys.glob("master-*.key")):
            raise NoKeys(f"There is no platform's data in {settings.data}. Name it with --data.")
        keys = folders.prepare(settings.data).keys
        if which is Which.SECRETS:
            made = secret_keys.add_next(keys)
            after = "Secrets move to it within a minute of the platform's running."
        else:
            made = audit_keys.add_next(keys)
            after = "The next seal is signed with it. Older seals stay valid by the older files."
    print(f"Made {made}.\n{after}\nKeep the older files, and make a new backup: {keys}")
