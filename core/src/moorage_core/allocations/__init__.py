"""Allocations: nodes held by projects, from the wish to the proof that they were cleaned.

Owns allocations and placement. Knows no app: scheduler_type and metadata are not read.
"""
