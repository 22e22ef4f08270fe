"""The claim `limit` in stages: sums of powers as symbols, and their signs."""
