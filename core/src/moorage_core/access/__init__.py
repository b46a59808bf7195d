"""People on machines: logins, grants, SSH certificates, and which people each node should have.

Owns all four. What a node does about it is the agent's.
"""
