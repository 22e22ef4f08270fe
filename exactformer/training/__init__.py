"""Regularised training with guarantees: small norms, repair of trained networks, certified verdicts on runs."""
