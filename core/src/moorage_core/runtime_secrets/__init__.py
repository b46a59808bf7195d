"""Secrets of what runs: put in by an operation, handed to nodes alone.

Owns which secret is for which purpose and who got it. The values are the secret store's.
"""
