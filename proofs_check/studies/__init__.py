"""Claims of one paper each, and counterexamples."""
