"""Actions: verbs of an app's own, asked for by people and done by its controller.

Owns no table: an action is an operation. What it takes, answers and keeps others from, and which
key its caller needs, the manifest says.
"""
