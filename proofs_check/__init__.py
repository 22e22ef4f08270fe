"""An independent checker of certificates: standard library only, exact arithmetic, no search (see FORMAT.md)."""

from .claims import Verdict, check
from .envelope import Limits

__all__ = ["Limits", "Verdict", "check"]
