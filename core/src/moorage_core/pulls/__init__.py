"""Pulls: short-lived credentials to fetch one artifact, each for one holder.

Owns pulls. Asks `policy` before it issues one and again whenever one is used.
"""
