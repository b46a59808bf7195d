"""Instances: apps that were deployed, what each is to be, and what was seen of it.

Owns instances, their revisions and components, and plans. It asks for operations and follows their
moves; it neither orders nor hands them out, and members are a slice of their own.
"""
