"""Tasks: one thing that is done on one node for an operation, and what came of it.

Owns tasks, their output, and what hosts say. Knows no app.
"""
