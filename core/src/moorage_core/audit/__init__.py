"""The audit log: one entry per privileged change, refusals counted, sealed in signed batches.

Owns audit_entries, audit_denials and audit_seals. Does not decide what is allowed; `authz` does.
"""
