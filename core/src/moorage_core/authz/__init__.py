"""Who may do what: permission keys, roles as sets of keys, and the one door, `authorize`."""
