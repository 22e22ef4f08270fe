"""The claims `recognition` and `no-recogniser` (FORMAT.md, section 17): recognisers of languages, for all lengths."""
