"""Conjectures: statements judged exactly on many instances; true, false with a witness, or undecided."""
