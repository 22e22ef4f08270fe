"""Names for values without a type of ours: each says where the value comes from, and that its reader verifies it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: what JSON says, before anything of it is verified
JsonValue: TypeAlias = Any
#: an array of numpy of any type of numbers
AnyArray: TypeAlias = "NDArray[Any]"
#: an array, or the library itself, of whichever library of the array API is at work
ApiArray: TypeAlias = Any
#: a tensor, a module, or the library torch, which is read without its types
Torch: TypeAlias = Any
#: an object of a library that has no types: cvxpy, sympy, dask, hypothesis
Untyped: TypeAlias = Any
#: an instance of whichever kind a statement is about
AnyInstance: TypeAlias = Any
#: what a caller gave, before it is read as numbers, points or labels
Given: TypeAlias = Any
#: the value of an option of a command, as the command line converts it, or of a keyword that is handed on
OptionValue: TypeAlias = Any
