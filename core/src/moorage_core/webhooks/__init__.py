"""Webhooks: events pushed to an address that a tenant names, signed, until it takes them.

Owns webhooks and webhook_deliveries. Reads events by their number; does not number or delete them.
"""
