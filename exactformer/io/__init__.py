"""Bytes and files, no mathematics: JSON lines, atomic writing, text tables, kinds of files, read limits, locks."""
