"""The audit log: one entry per privileged change, refusals counted, sealed in signed batches.

Owns audit_entries, audit_denials, audit_seals and refusals. Does not decide what is allowed:
`authz` does.
"""
