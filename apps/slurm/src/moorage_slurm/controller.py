"""The controller of Slurm: everything that the manifest promises has its function here."""

from moorage_slurm import changing, jobs, joining, leaving, repairing, versions, watching
from moorage_slurm.app import app

__all__ = ["app", "changing", "jobs", "joining", "leaving", "repairing", "versions", "watching"]
