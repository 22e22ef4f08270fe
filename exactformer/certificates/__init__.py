"""Certificates: the envelope, and one writer a claim. Writers take plain data; proofs_check reads the result."""
