"""People: their accounts, passwords, browser sessions and personal access tokens.

Owns users, sessions, password_codes and access_tokens. Does not own their roles (`tenancy`) or
other ways to sign in (`oidc`).
"""
