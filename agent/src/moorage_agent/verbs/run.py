"""Work for the platform. The service does this."""

import sys

from moorage_agent import identity, loop, trust
from moorage_agent.places import Places
from moorage_agent.platform import Platform
from moorage_agent.session import Session


def main() -> int:
    places = Places()
    mine = identity.load(places.identity)
    if mine is None:
        print("This host is not enrolled: paste the line of the platform.", file=sys.stderr)
        return 78
    platform = Platform(mine.url, trust.context(places.ca))
    return loop.work(Session(platform, mine, places), places)
