"""Exact numbers: rationals, real algebraic numbers, balls, and arrays of integers over one denominator."""
