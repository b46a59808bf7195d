"""Background work: sweeps that wake, look and act; and who runs which."""
