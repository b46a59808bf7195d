"""The web console and the docs, as files: built before the package is, served as they are.

No route of the API and no part of the contract. What the console shows comes from the API alone.
"""
