"""The keys that sign the platform's short-lived tokens, and their rotation.

Owns signing_keys. Private parts are in the secret store; public parts are published as JWKS.
"""
