"""Families: named sets of permission keys that several apps share, and the apps admitted to them.

Owns families and family_admissions. They are the platform's: its operators write them, everybody
reads them.
"""
