"""Signing in through an OpenID Connect provider.

Owns oidc_providers and oidc_identities. Does not own accounts, nor the sessions that a sign-in ends
in (`people`).
"""
