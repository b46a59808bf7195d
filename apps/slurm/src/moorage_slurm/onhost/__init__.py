"""What runs on hosts: verbs that ask Slurm and the system, with JSON in and JSON out.

It is put there as one file and needs nothing but the host's Python. Nothing in here knows the
platform; nothing in here is imported by the controller but names and constants.
"""
