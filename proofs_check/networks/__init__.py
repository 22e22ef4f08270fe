"""The claims `argmax` and `enclosure` (FORMAT.md, section 16): trained networks in integers over a power of two."""
