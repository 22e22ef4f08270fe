"""Where and why floating point (NumPy, PyTorch on CPU or GPU) departs from exact arithmetic.

The package is itself the function: `ef.crosscheck(x)` runs both paths on tokens, a construction or a certificate.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any


class _Crosscheck(ModuleType):
    """A package that can be called, so that `ef.crosscheck` means one thing."""

    def __call__(self, subject: Any, data: Any = None, **options: Any) -> Any:
        """Floats beside exact arithmetic; see `exactformer.crosscheck.subject.crosscheck`."""
        from exactformer.crosscheck.subject import crosscheck

        return crosscheck(subject, data, **options)


sys.modules[__name__].__class__ = _Crosscheck
