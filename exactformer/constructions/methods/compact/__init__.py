"""Method compact: labels in few numbers, by slopes that remember.

Proof: mathematics/compact#theorem-c.
"""
