"""Sequences, data sets, and transformers that evaluate exactly."""
