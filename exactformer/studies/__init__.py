"""One paper's application each, of one shape inside: what is exact, what is `approx_`, what is certified."""
