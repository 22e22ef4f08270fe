"""Languages: expressions, automata, recognisers with hard attention, and proofs about them for every length.

>>> compile("(ab)*").accepts("abab")
True
"""

from exactformer.languages.attend import attend as attend
from exactformer.languages.compiled import compile_language as compile
from exactformer.languages.prove import extract as extract
from exactformer.languages.prove import prove as prove

__all__ = ["attend", "compile", "extract", "prove"]


def __dir__() -> list[str]:
    return sorted(__all__)
