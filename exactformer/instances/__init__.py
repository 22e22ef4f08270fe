"""Families, generators and kinds of instances: tokens, data sets, and what statements speak of."""
