"""Signing in on a machine without a browser, by a code that a person approves in the console.

After RFC 8628: a program asks for a pair of codes, shows the short one, and waits with the long
one. Whoever types the short one into the console sees what asks and from where, and decides. The
program gets a personal access token of theirs, once.
"""
