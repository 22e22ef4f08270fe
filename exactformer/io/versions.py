"""The version of the format in which each kind of file, claim and refuted statement first stood: one table.

A file says the first version that has everything it holds, so that older readers read whatever they can.
"""

from __future__ import annotations

FIRST = [1, 0]
SINCE = {
    # kinds of files, and what they gained
    "transformer, beta": [1, 1],
    "network": [1, 2],
    "recogniser": [1, 2],
    # claims, and what they gained
    "interpolation, beta": [1, 1],
    "interpolation, margin": [1, 1],
    "limit, stages": [1, 1],
    "decision": [1, 1],
    "loss": [1, 1],
    "recurrence": [1, 1],
    "positive-window": [1, 1],
    "zero-temperature": [1, 1],
    "laplace": [1, 1],
    "argmax": [1, 2],
    "enclosure": [1, 2],
    "recognition": [1, 2],
    "no-recogniser": [1, 2],
    # refuted statements
    "leader-by-layer-n-without-symmetry": [1, 1],
    "leader-by-layer-n-indefinite": [1, 1],
    "leader-by-layer-n-semidefinite": [1, 1],
    "leader-by-layer-n-duplicates": [1, 1],
    "last-leader-within-n-large-alpha": [1, 1],
    "leaders-grow-with-alpha": [1, 1],
    "leaders-shrink-with-alpha": [1, 1],
    "interior-tokens-never-lead": [1, 1],
    "counterexample, mean field": [1, 1],
}
#: what readers of a form accept; of any other form the first version it stood in
_READ = {"certificate": [[1, 0], [1, 1], [1, 2]], "transformer": [[1, 0], [1, 1]]}


def since(name: str, *parts: str) -> list[int]:
    """The first version that has a file, claim or statement with all of these parts.

    >>> since("limit"), since("limit", "stages"), since("network")
    ([1, 0], [1, 1], [1, 2])
    """
    return max(SINCE.get(key, FIRST) for key in (name, *(f"{name}, {part}" for part in parts)))


def read_versions(form: str) -> list[list[int]]:
    """The versions of a form that are read."""
    return _READ.get(form, [since(form)])
