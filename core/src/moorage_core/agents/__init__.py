"""The protocol with the agents on nodes: enrol, prove, poll, report.

Owns no rows. Calls nodes, tasks and the rest, and never decides for them.
"""
