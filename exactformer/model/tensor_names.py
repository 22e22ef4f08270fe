"""Where each tensor of a network stands in a file of others: names stacked, transposed, optional, or not weights."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from exactformer.errors import InvalidInput
from exactformer.io.untyped import AnyArray
from exactformer.model.architecture import Architecture
from exactformer.model.network import kept_tensor

Tensors = Mapping[str, AnyArray]
#: whether a tensor that is not a weight holds what the network means anyway
Check = Callable[[AnyArray], bool]
#: no network has more blocks
MOST_BLOCKS = 1000
#: how the names of biases end
ALL_BIASES = ("_bias", "bias1", "bias2")
#: how many names a message lists
_LISTED = 40


@dataclass(frozen=True)
class StackedNames:
    """The names whose tensors, one above the other, are one tensor of a network; zeros if it is optional and absent."""

    names: tuple[str, ...]
    transposed: bool = False
    optional: bool = False


@dataclass(frozen=True)
class Naming:
    """A way of naming weights, as one file uses it.

    `sources` has every tensor of the network. `said` is what the names and the configuration say of the architecture,
    by the names of options. `checks` are tensors that are not weights; `aside` are weights of other outputs.
    """

    family: str
    sources: dict[str, StackedNames]
    blocks: int
    said: dict[str, object]
    shared: bool = False
    checks: dict[str, Check] = field(default_factory=dict)
    aside: tuple[str, ...] = ()
    config_sizes: dict[str, str] = field(default_factory=dict)


def verify_names(naming: Naming, tensors: Tensors, where: str) -> None:
    """Raises InvalidInput unless every name that is needed is there and no name is left over; lists all of them."""
    needed: set[str] = set()
    for source in naming.sources.values():
        if not source.optional or any(name in tensors for name in source.names):
            needed |= set(source.names)
    missing = sorted(needed - tensors.keys())
    unknown = sorted(tensors.keys() - needed - naming.checks.keys() - set(naming.aside))
    said = [f"{what}: {_listed(names)}" for what, names in (("missing", missing), ("unknown", unknown)) if names]
    if naming.family == "torch" and any(naming.sources[key].names[0] in missing for key in ("token", "position")):
        said.append("`name` (PART=NAME) says which are token, position and head where they have other names")
    if said:
        raise InvalidInput(f"{where}: expected the weights of a network with {naming.family} names; {'; '.join(said)}")
    for name, check in naming.checks.items():
        if name in tensors and not check(tensors[name]):
            raise InvalidInput(f"{where}, {name}: expected what {naming.family} networks have there, got other numbers")


def with_flat_positions(naming: Naming, tensors: Tensors) -> Tensors:
    """The tensors, a table of positions with an axis for the batch, (1, N, D) or (N, 1, D), made a matrix."""
    name = naming.sources["position"].names[0]
    shape = np.shape(tensors[name])
    return {**tensors, name: tensors[name].reshape(-1, shape[2])} if len(shape) == 3 and 1 in shape[:2] else tensors


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return ", ".join(names[:_LISTED]) + more


def sizes(naming: Naming, tensors: Tensors, where: str) -> dict[str, int]:
    """The sizes of the architecture, from the shapes of the tensors."""

    def shape(key: str) -> tuple[int, int]:
        source = naming.sources[key]
        found = np.shape(tensors[source.names[0]])
        if len(found) != 2:
            raise InvalidInput(f"{where}, {source.names[0]}: expected a matrix, got the shape {found}")
        return (found[1], found[0]) if source.transposed else found

    vocabulary, width = shape("token")
    dim = shape("map")[0] if "map" in naming.sources else width
    has_types = any(name in tensors for name in naming.sources["type"].names)
    found = {
        "vocabulary": vocabulary,
        "dim": dim,
        "positions": shape("position")[0],
        "types": shape("type")[0] if has_types else 0,
        "hidden": shape("0.up")[0] if naming.blocks and naming.sources["0.up"].names else 1,
        "classes": shape("head")[0]
        if "head" in naming.sources
        else vocabulary
        if "head_bias" in naming.sources
        else dim,
    }
    return found | ({"embedding": width} if "map" in naming.sources else {})


def network_tensors(
    naming: Naming, architecture: Architecture, tensors: Tensors, where: str
) -> dict[str, NDArray[np.float32]]:
    """The tensors of a network under the names of its architecture; raises InvalidInput where one does not fit."""
    found = {}
    for key, shape in architecture.shapes.items():
        source = naming.sources[key]
        if source.optional and not any(name in tensors for name in source.names):
            found[key] = np.zeros(shape, np.float32)
            continue
        each = (shape[0] // len(source.names), *shape[1:])
        stored = each[::-1] if source.transposed else each
        parts = [kept_tensor(tensors[name], stored, f"{where}, {name}") for name in source.names]
        found[key] = np.concatenate([part.T if source.transposed else part for part in parts])
    return found


def counted_blocks(numbers: set[int], where: str) -> int:
    """One more than the largest number of a block."""
    blocks = max(numbers, default=-1) + 1
    if blocks > MOST_BLOCKS:
        raise InvalidInput(f"{where}: expected at most {MOST_BLOCKS} blocks, got one with the number {blocks - 1}")
    return blocks


def linear(key: str, *names: str, transposed: bool = False) -> dict[str, StackedNames]:
    """The sources of a linear map and of its bias, which may be absent."""
    return {
        key: StackedNames(tuple(f"{name}.weight" for name in names), transposed),
        f"{key}_bias": StackedNames(tuple(f"{name}.bias" for name in names), optional=True),
    }


def with_biases(
    sources: dict[str, StackedNames], tensors: Tensors | None, *groups: tuple[str, ...]
) -> dict[str, StackedNames]:
    """The sources, the optional ones of a group (endings of names) needed where one of them is among the tensors.

    A file that has some of them was cut: it is not that of a network without biases. Without tensors all are needed.
    """
    found = dict(sources)
    for endings in groups or (ALL_BIASES,):
        some = {key: s for key, s in sources.items() if s.optional and s.names and key.endswith(endings)}
        if tensors is None or any(name in tensors for source in some.values() for name in source.names):
            found |= {key: replace(source, optional=False) for key, source in some.items()}
    return found


def layer_norm(gain: str, bias: str, name: str) -> dict[str, StackedNames]:
    """The sources of a LayerNorm, whose bias may be absent."""
    return {gain: StackedNames((f"{name}.weight",)), bias: StackedNames((f"{name}.bias",), optional=True)}
