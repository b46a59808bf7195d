"""What an operator runs on the platform's own machine: up, backup, restore.

The command line finds these functions through the entry-point group `moorage.commands` and
imports none of them. They talk to a person: lines on standard output, refusals on standard error.
"""
