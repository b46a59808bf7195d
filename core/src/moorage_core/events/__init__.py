"""Events: what happened, in an order that every reader agrees on.

Owns events and the numbering of the streams. Does not push to anybody; `webhooks` does.
"""
