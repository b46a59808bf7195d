"""What is left on a host that was not there when the agent came.

Residue is what the host has beyond its baseline, what it lacks of it, and what people and tasks
left: processes of people, files that tasks put, things in the folders for temporary files.
"""

from moorage_agent import baseline as _baseline

baseline = _baseline.take
"""Take the baseline of this host, at the installation."""
