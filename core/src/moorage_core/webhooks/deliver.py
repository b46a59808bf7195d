"""One POST to an address that a tenant chose. The only part of the slice that touches the network.

A ninth file, with a reason: what waits for strangers is kept apart from what holds a transaction.
How a stranger's address is kept from leading into the operator's network: `kit.outbound`.
"""

import asyncio
from dataclasses import dataclass
from datetime import timedelta

import httpx2

from moorage_core.kit import outbound
from moorage_core.kit.outbound import Message
from moorage_core.webhooks import rules
from moorage_core.webhooks.models import Parcel
from moorage_core.webhooks.rules import Answer, Failure


@dataclass(frozen=True)
class Road(outbound.Road):
    """How this process reaches receivers."""

    timeout: timedelta


async def post(parcel: Parcel, road: Road) -> Answer:
    """Send it, in `road.timeout` altogether. Never raises for anything a receiver can do."""
    seconds = road.timeout.total_seconds()
    message = Message("POST", parcel.url, parcel.headers, parcel.body)
    try:
        async with asyncio.timeout(seconds), outbound.send(message, road, wait=seconds) as got:
            # The body is left unread: nothing of it is kept, and it may never end.
            return rules.read_status(got.status_code, retry_after=got.headers.get("retry-after"))
    except outbound.NameUnresolved:
        return Answer(Failure.NAME_UNRESOLVED)
    except outbound.AddressRefused:
        return Answer(Failure.ADDRESS_REFUSED)
    except (TimeoutError, httpx2.TimeoutException):
        return Answer(Failure.TIMED_OUT)
    except httpx2.ConnectError as err:
        tls = outbound.is_tls_fault(err)
        return Answer(Failure.TLS_REFUSED if tls else Failure.UNREACHABLE)
    except (httpx2.HTTPError, OSError):
        return Answer(Failure.BAD_ANSWER)
