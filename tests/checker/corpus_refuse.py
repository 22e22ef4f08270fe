from __future__ import annotations
def refused():
    return []
