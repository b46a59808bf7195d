"""Entitlements: a project may use an app, as far as its tenant accepted what the app asks for.

Owns entitlements. The limits on top of one are `policy`'s.
"""
