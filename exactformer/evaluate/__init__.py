"""Networks evaluated, one file an arithmetic."""
