"""Regions and SKUs: where machines stand and of which class they are.

Owns both lists. Knows no node and no tenant.
"""
