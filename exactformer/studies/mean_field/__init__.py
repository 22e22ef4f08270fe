"""Many tokens on the sphere at low temperature: the limit exactly, the phases measured, the bounds certified.

exact: `system`, `families`
"""

from __future__ import annotations

from exactformer.studies.mean_field.system import System

__all__ = ["System"]
