"""Schema changes, in order. Each is a file of plain SQL and a few lines that run it."""
