"""Retention: what is not the record goes when its time is over.

Owns no table. Deletes rows of others by their age, and raises the event stream's floor with them.
"""
