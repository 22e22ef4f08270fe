"""The papers behind the package, statement by statement: the status of each, and the command that shows it.

>>> statements("clustering/theorem-1.1")[0].status
'machine-checked'
"""

from exactformer.papers.index import papers as papers
from exactformer.papers.index import statements as statements
from exactformer.papers.runner import run as run

__all__ = ["papers", "run", "statements"]


def __dir__() -> list[str]:
    return sorted(__all__)
