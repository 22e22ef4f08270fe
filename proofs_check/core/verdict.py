"""The four verdicts, and the two ways in which a rule refuses (FORMAT.md, section 1, Verdicts)."""

from dataclasses import dataclass
from typing import Any, TypeAlias

#: what a line says, before anything of it is verified
Json: TypeAlias = Any
#: the other checkers, as `also` names them and in words
CHECKERS = {"javascript": "JavaScript", "rocq": "Rocq", "verified": "verified"}


@dataclass(frozen=True)
class Verdict:
    """accepted, rejected, malformed or declined; where and why; for accepted, why says what was proved.

    The tier of the claim is the folder of its rules; `also` are the other checkers that know it.
    """

    verdict: str
    claim: str | None
    where: str | None
    why: str
    tier: str | None = None
    also: tuple[str, ...] = ()

    @property
    def others(self) -> str:
        """Which other checkers know the claim, in words."""
        names = ", ".join(CHECKERS[name] for name in self.also)
        return f"other checkers that know this claim: {names or 'none'}"


class Refusal(Exception):
    """Arguments: a verdict other than accepted, and the reason."""


def well_formed(condition: bool, why: str) -> None:
    """Refuses a text that violates the grammar, the shapes, the index ranges or the counts of the format."""
    if not condition:
        raise Refusal("malformed", why)


def holds(condition: bool, why: str) -> None:
    """Refuses a well-formed certificate one of whose obligations is false."""
    if not condition:
        raise Refusal("rejected", why)
