"""Members: the parts of which instances are made, each on one machine.

Owns members. It asks for operations and follows their moves; instances own what is wanted of a
component, allocations own the machines.
"""
