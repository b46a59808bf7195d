"""Hosts without agent: the keys that projects put into custody, and the worker that uses them.

Owns access credentials and host keys. A key never leaves the platform.
"""
