"""Hulls, separation, projections and definiteness: every yes and every no with an exact certificate."""
