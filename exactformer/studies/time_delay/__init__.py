"""Time-delayed transformers: linear recurrences with proofs, positive windows, and trained models with enclosures."""
