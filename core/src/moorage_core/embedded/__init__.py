"""What `moor up` brings along: the data folder, a PostgreSQL server of its own, TLS.

Knows files and processes, and nothing of the domain. Everything here is synchronous: it runs
before the first request and after the last one.
"""
