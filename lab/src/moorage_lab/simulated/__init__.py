"""Agents without hosts: they speak the real agent protocol, thousands in one process.

For scale, for faults of the protocol itself, and for machines without root. What a task does is
played by a script; what is said to the platform, and when, is what a real agent would say.
"""

from moorage_lab.simulated.agent import Agent, Disk, ImpossibleWorld
from moorage_lab.simulated.crowd import Crowd
from moorage_lab.simulated.host import Host, Ran
from moorage_lab.simulated.inventory import Machine
from moorage_lab.simulated.script import Behaviour, Reaction

__all__ = ["Agent", "Behaviour", "Crowd", "Disk", "Host", "ImpossibleWorld", "Machine", "Ran"]
__all__ += ["Reaction"]
