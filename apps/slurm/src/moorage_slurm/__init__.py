"""Slurm, the first app: a batch cluster that an HPC operator would accept."""
