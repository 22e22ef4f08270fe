"""Pure-attention hardmax dynamics: exact orbits, follower graphs, and limits proved for all layers."""
