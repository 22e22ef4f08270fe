"""A trained network: an architecture and its weights, float32 numbers taken exactly.

The network is the real function that they define, with exact exp, erf, tanh and square root. What is said about it is
said about real arithmetic, not about what a device returns.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from exactformer.display.verbs import Listed
from exactformer.errors import InvalidInput
from exactformer.io.json_lines import PathLike
from exactformer.io.untyped import AnyArray
from exactformer.model.architecture import Architecture

if TYPE_CHECKING:
    from exactformer.evaluate.domain_decision import Decision
    from exactformer.evaluate.network_answer import NetworkAnswer
    from exactformer.model.domain import Domain

Float32 = NDArray[np.float32]
Remembered = TypeVar("Remembered")

#: which outputs answer for an input: that of one position, the mean of all, or each
READS = ("last", "first", "mean", "all")


@dataclass(frozen=True)
class NetworkBlock:
    """The tensors of one block, views of the network's; gains and biases are None where it has no LayerNorm."""

    qkv: Float32
    qkv_bias: Float32
    out: Float32
    out_bias: Float32
    up: Float32
    up_bias: Float32
    down: Float32
    down_bias: Float32
    gain1: Float32 | None = None
    bias1: Float32 | None = None
    gain2: Float32 | None = None
    bias2: Float32 | None = None


class Network(Listed):
    """A trained network, given by its architecture and by every tensor that `architecture.shapes` lists.

    >>> shape = Architecture(dim=2, heads=1, hidden=1, blocks=0, vocabulary=3, positions=4, classes=3, norm="none")
    >>> net = Network(shape, {name: np.zeros(s, np.float32) for name, s in shape.shapes.items()})
    >>> net.parameters, net.digest[:8]
    (23, '62b14867')
    """

    def __init__(self, architecture: Architecture, tensors: Mapping[str, AnyArray], *, read: str = "last") -> None:
        if read not in READS:
            raise InvalidInput(f"read: expected one of {', '.join(READS)}, got {read!r:.60}")
        shapes = architecture.shapes
        if tensors.keys() != shapes.keys():
            odd = ", ".join(sorted(tensors.keys() ^ shapes.keys())[:8])
            raise InvalidInput(f"expected the tensors of the architecture, got too few or too many: {odd}")
        self.architecture, self.read = architecture, read
        self._remembered: dict[tuple[object, ...], object] = {}
        self.tensors = {name: kept_tensor(tensors[name], shape, name) for name, shape in shapes.items()}

    @classmethod
    def of_weight_string(cls, architecture: Architecture, data: bytes, *, read: str = "last") -> Network:
        """The network whose weight string is `data`: its tensors in order, row by row, binary32, little-endian."""
        if len(data) != 4 * architecture.size:
            raise InvalidInput(f"expected a weight string of {4 * architecture.size} bytes, got {len(data)}")
        numbers, tensors, at = np.frombuffer(data, "<f4"), {}, 0
        for name, shape in architecture.shapes.items():
            tensors[name] = numbers[at : at + prod(shape)].reshape(shape)
            at += prod(shape)
        return cls(architecture, tensors, read=read)

    def weight_string(self) -> bytes:
        """All tensors in order, row by row, each entry IEEE binary32, little-endian."""
        return b"".join(tensor.astype("<f4", copy=False).tobytes() for tensor in self.tensors.values())

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of the weight string."""
        found = hashlib.sha256()
        for tensor in self.tensors.values():
            found.update(np.ascontiguousarray(tensor, "<f4").data if tensor.size else b"")
        return found.hexdigest()

    @property
    def parameters(self) -> int:
        """The number of entries of all tensors."""
        return self.architecture.size

    def save(self, path: PathLike) -> Path:
        """Writes a network file (JSON) and its weight string beside it, `.f32`; the path of the latter."""
        from exactformer.model.network_files import write_network

        return write_network(self, path)

    @classmethod
    def load(
        cls,
        path: PathLike,
        *,
        config: PathLike | None = None,
        names: Mapping[str, str] | None = None,
        **options: object,
    ) -> Network:
        """The network of a network file, or of weights with the names of GPT-2, BERT, ALBERT or torch's encoders.

        Weights are a .safetensors file, an NPZ, a state dict of torch, or a folder with model.safetensors (or
        pytorch_model.bin) and config.json. What they do not say is given: heads, blocks, norm, activation, epsilon,
        causal, read, and names (of token, position and head beside one of torch's encoders). MissingOption lists all
        that is left open.
        """
        from exactformer.model.network_import import ENDINGS, import_network

        if Path(path).is_dir() or Path(path).suffix.lower() in ENDINGS:
            return import_network(path, config=config, names=names, **options).network
        from exactformer.model.network_files import read_network_file

        if config is not None or names or options:
            raise InvalidInput(f"{path}: a network file says everything itself; options are for weights of others")
        return read_network_file(path)

    @classmethod
    def from_torch(
        cls,
        module: object,
        *,
        tables: Mapping[str, object] | None = None,
        names: Mapping[str, str] | None = None,
        **options: object,
    ) -> Network:
        """The network of a torch.nn.Module: one of transformers (GPT-2, BERT, ALBERT), or one with torch's encoder.

        What the module does not say is given as for `load`; `tables` has token, position and head (tensors, or modules
        with a weight) where they stand outside of the module. Dropout is not part of the function.
        """
        from exactformer.model.network_import import import_module

        return import_module(module, tables=tables, names=names, **options).network

    def __call__(
        self, ids: object, types: object = None, *, at: int | None = None, level: str | None = None
    ) -> NetworkAnswer:
        """The certified output for one input: .argmax, .gap, .radius, in real arithmetic, not a device's.

        It is the output that `read` says, or that of position `at`; `level` is float64, double-double or integers, the
        first of them that decides unless given.
        """
        from exactformer.evaluate.network_answer import answer

        return answer(self, ids, types, at=at, level=level)

    def certify(self, path: PathLike, inputs: Sequence[Sequence[int]]) -> Path:
        """Writes a certificate of the classes of these inputs, or of their outputs where there is no head; the path."""
        from exactformer.certificates.network_claims import write_outputs

        write_outputs(path, self, inputs)
        return Path(path)

    def decide(self, domain: Domain | str | Path) -> Decision:
        """The classes proved on a whole finite domain: a Domain, "sum-mod:p", or a CSV file id1,..,idn,label."""
        from exactformer.evaluate.domain_decision import decide_domain
        from exactformer.model.domain import domain_of

        return decide_domain(self, domain_of(domain))

    def remembered(self, kind: Callable[..., Remembered], *key: object) -> Remembered:
        """kind(self, *key), made once: the forms of the weights that an evaluator works with."""
        if (kind, *key) not in self._remembered:
            self._remembered[kind, *key] = kind(self, *key)
        return cast(Remembered, self._remembered[kind, *key])

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_remembered": {}}

    def at_temperature(self, beta: Fraction) -> Network:
        """The same network with every softmax head at this inverse temperature."""
        shape = self.architecture
        blocks = range(shape.blocks if shape.rules is not None and len(shape.rules) > shape.heads else 1)
        rules = tuple(replace(rule, beta=beta) for k in blocks for rule in shape.head_rules(k))
        return Network(replace(shape, rules=rules, causal=False), self.tensors, read=self.read)

    def block(self, k: int) -> NetworkBlock:
        """The tensors of block k, those of block 0 where all share them."""
        prefix = f"{0 if self.architecture.shared else k}."
        return NetworkBlock(**{n.removeprefix(prefix): t for n, t in self.tensors.items() if n.startswith(prefix)})

    @property
    def head(self) -> tuple[Float32, Float32] | None:
        """The matrix (one row per class) and the bias of the head; None where there is no head."""
        kind = self.architecture.head
        if kind == "none":
            return None
        return self.tensors["token" if kind == "tied" else "head"], self.tensors["head_bias"]

    def verify_ids(self, ids: object, types: object = None) -> tuple[list[int], list[int]]:
        """The token ids and token types of one input as lists (types all 0 unless given); raises InvalidInput."""
        shape = self.architecture
        found = _indices(ids, shape.vocabulary, "ids")
        if not 1 <= len(found) <= shape.positions:
            raise InvalidInput(f"ids: expected 1 to {shape.positions} of them, got {len(found)}")
        if types is None:
            return found, [0] * len(found)
        if not shape.types:
            raise InvalidInput("types: expected none, as this network has no token types")
        kinds = _indices(types, shape.types, "types")
        if len(kinds) != len(found):
            raise InvalidInput(f"types: expected one per id, {len(found)}, got {len(kinds)}")
        return found, kinds

    def json(self) -> dict[str, object]:
        """The sizes and the digest of the weights, which are in the files that `save` writes."""
        shape = self.architecture
        sizes = {name: getattr(shape, name) for name in ("blocks", "dim", "heads", "norm", "activation", "vocabulary")}
        return {**sizes, "read": self.read, "parameters": self.parameters, "sha256": self.digest}

    def __repr__(self) -> str:
        a = self.architecture
        return (
            f"Network({a.blocks} blocks, dim {a.dim}, {a.heads} heads, {a.norm} norm, {a.activation}, "
            f"vocabulary {a.vocabulary}, {self.parameters} parameters, weights {self.digest[:12]})"
        )


def kept_tensor(tensor: AnyArray, shape: tuple[int, ...], name: str) -> Float32:
    """The tensor as finite float32 numbers that cannot be written to; float16 widens exactly."""
    array = np.asarray(tensor)
    if array.shape != shape:
        raise InvalidInput(f"{name}: expected the shape {shape}, got {array.shape}")
    if array.dtype not in (np.float32, np.float16):
        raise InvalidInput(
            f"{name}: expected float32 or narrower numbers, got {array.dtype}; rounding would change the network, "
            "so round the weights first if that is the network you mean"
        )
    kept = np.ascontiguousarray(array, np.float32)
    if not np.isfinite(kept).all():
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(kept))[0])
        raise InvalidInput(f"{name}{list(where)}: expected a finite number, got {kept[where]}")
    kept = kept.view()
    kept.flags.writeable = False
    return kept


def _indices(values: object, bound: int, what: str) -> list[int]:
    """The values as a list of integers from 0 to bound - 1; raises InvalidInput."""
    try:
        listed = list(values.tolist() if hasattr(values, "tolist") else values)  # type: ignore[arg-type]
    except TypeError:
        raise InvalidInput(f"{what}: expected a list of integers, got {values!r:.60}") from None
    for i, value in enumerate(listed):
        whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
        if not whole or not 0 <= value < bound:
            raise InvalidInput(f"{what}[{i}]: expected an integer from 0 to {bound - 1}, got {value!r:.60}")
    return [int(value) for value in listed]
