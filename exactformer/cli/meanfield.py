"""`exactformer meanfield`: the group of its verbs."""

from __future__ import annotations

from exactformer.cli.verbs import Verbs

VERBS = {
    "limit": ("meanfield_limit", "Prove the limit at zero temperature: eigenvalue, projector, rate."),
    "run": ("meanfield_run", "Follow up to a million tokens at several temperatures, and measure the phases."),
    "laplace": ("meanfield_laplace", "Bound the mean of softmax at every low temperature, certified."),
    "enclose": ("meanfield_enclose", "Follow a few tokens by Euler steps in rigorous enclosures."),
    "sample": ("meanfield_sample", "Write a named system, or tokens on the circle, to try the other commands with."),
}

command = Verbs(
    "meanfield",
    verbs=VERBS,
    help="""Many tokens on the sphere at low temperature: the limit exactly, the bounds certified, the phases measured.

    SYSTEM is a JSON file {"exactformer":"system","version":[1,0],"V":..,"Q":..,"K":..} with exact matrices.

    \b
    Example:
      exactformer meanfield sample metastable -o system.json
      exactformer meanfield limit system.json
    """,
)
