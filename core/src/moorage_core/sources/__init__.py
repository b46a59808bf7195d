"""Where artifacts may come from: sources that the platform shares with all, and a tenant's own.

Owns sources. Their credentials are in the secret store and never leave the platform.
"""
