"""Real Debian hosts on one Linux machine, for tests, demonstrations and benchmarks.

It owns bridges, mounts, control groups and processes, and takes all of them away again. It knows
nothing of the platform: what it offers is a host with an address and a root shell.
"""

from moorage_lab.errors import LabError
from moorage_lab.host import Host
from moorage_lab.lab import Lab
from moorage_lab.layout import Places

__all__ = ["Host", "Lab", "LabError", "Places"]
