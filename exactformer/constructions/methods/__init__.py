"""One module per method: each turns a problem into the blocks of a transformer that solves it."""
