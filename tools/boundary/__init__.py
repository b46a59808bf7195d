"""Boundaries that imports cannot show: an app's words in the platform, a host in a lock file.

Run them with `python -m tools.boundary`, or with the import contracts as `make boundaries`.
"""
