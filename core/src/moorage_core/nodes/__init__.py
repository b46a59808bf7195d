"""Nodes: the platform's machines, how they enrol, what state they are in, who may get them.

Owns nodes and enrolments. Who holds a node is the allocations' to know; tasks are the tasks'.
"""
