"""`moor recover`: lets somebody in again when nobody else can.

For whoever holds the platform's data folder, or its database: a lost first password, or admins who
are all gone. Works while the platform runs or rests. The account is enabled and unlocked and gets a
one-time code; the audit log says that the system did it, and orgs in which the person has roles get
the event of any break-glass.
"""

import asyncio
from typing import Annotated

import psycopg
import typer

from moorage_core import main, unit
from moorage_core.embedded.errors import OperatorError
from moorage_core.errors import ApiError
from moorage_core.kit.ids import PLATFORM_ORG
from moorage_core.operate import arguments, reached
from moorage_core.people import recovery
from moorage_core.settings import Settings


class NothingToRecover(OperatorError):
    """There is no platform here."""

    exit_code = 4


class NotRecovered(OperatorError):
    """The account cannot be recovered as asked."""


def recover(
    email: Annotated[str, typer.Argument(help="The account's e-mail.")],
    admin: Annotated[
        bool, typer.Option("--admin", help="Make it platform admin, if none is left.")
    ] = False,
    data: arguments.Data = None,
    config: arguments.Config = None,
) -> None:
    """Enable and unlock an account, and print a code with which to set its password."""
    with arguments.refusals():
        settings = arguments.load_settings(config, data=data)
        if not reached.is_here(settings):
            raise NothingToRecover(
                f"There is no platform's data in {settings.data}. Name its folder with --data, or "
                "its settings with --config."
            )
        with reached.database(settings) as found:
            recovered = asyncio.run(let_in(found, email, admin=admin))
    arguments.say("Account", recovered.user.email)
    arguments.say("Code", f"{recovered.code}   shown this once, good for a day")
    arguments.say("Then", f"moor password set --url {settings.url}")


async def let_in(settings: Settings, email: str, *, admin: bool) -> recovery.Recovered:
    """Recover the account on the platform that these settings name."""
    try:
        async with (
            main.open_platform(settings, background=False) as platform,
            unit.work(platform, PLATFORM_ORG) as ctx,
        ):
            return await recovery.recover(ctx, email, admin=admin)
    except ApiError as err:
        raise NotRecovered(err.detail) from err
    except psycopg.Error as err:
        raise NotRecovered(f"The database does not let us work: {err}") from err
