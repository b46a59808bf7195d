"""App operators: the identities as which controllers claim an app's operations.

Owns app_operators. An operator is a service account that may claim and nothing else, registered for
one app: by its publisher, for everybody, or by a project, for its own instances.
"""
