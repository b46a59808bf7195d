"""What every slice stands on and what knows no domain: ids, clock, database, pages, wake-ups."""
