"""Triage: everything that came of one request, in one timeline.

Owns nothing. Reads operations, steps, tasks, events and audit entries of a place that the caller
may look at, by the correlation id that all of them carry.
"""
