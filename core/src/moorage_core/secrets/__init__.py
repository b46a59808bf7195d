"""The embedded secret store: everything secret that the platform holds, sealed before it reaches a row.

Owns secrets. Knows nothing of what a secret is for beyond its purpose.
"""
