"""The embedded secret store: all secrets that the platform holds, sealed before they reach a row.

Owns secrets. Knows nothing of what a secret is for beyond its purpose.
"""
