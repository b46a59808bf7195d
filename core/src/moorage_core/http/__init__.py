"""The edge: who calls, is it allowed in, which transaction, what is answered. No domain."""
