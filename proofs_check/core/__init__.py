"""Envelope, numbers, `interpolation`, `infeasible`, `orbit`, `limit` and the geometry: all else stands on them."""
