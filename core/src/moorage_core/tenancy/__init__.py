"""Orgs, projects, and who belongs to them.

Owns orgs, projects and memberships. Does not own accounts of people (`people`) or of programs
(`service_accounts`).
"""
