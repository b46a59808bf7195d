"""Accounts of programs: bound to one project, with an explicit list of permissions.

Owns service_accounts, their keys and the assertions they have used. The tokens they get are signed
by `signing`.
"""
