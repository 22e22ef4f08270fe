"""Float copies of a transformer as files, and whether they still interpolate the data of their certificate."""

from __future__ import annotations

import io
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from exactformer.arithmetic.floats import float_of
from exactformer.arithmetic.integers import Array
from exactformer.certificates.certificate import Certificate
from exactformer.constructions.fitted_transformer import FittedTransformer
from exactformer.errors import Declined, InvalidInput, MissingExtra
from exactformer.evaluate.floats import ApproxTransformer, Backend, approx_matrix, pad, padded_chunks
from exactformer.io.json_lines import JsonObject, PathLike, write_atomically
from exactformer.io.untyped import Untyped
from exactformer.model.dataset import Dataset
from exactformer.model.transformer import Transformer
from exactformer.model.transformer_files import read_transformer

#: the most numbers that float copies hold: half a gigabyte
DENSE = 1 << 26


@dataclass(frozen=True)
class FloatCopy:
    """A dtype, how many sequences its copy still maps exactly onto the rounded targets, and the largest error."""

    dtype: str
    sequences: int
    interpolated: int
    largest_deviation: float

    @property
    def interpolates(self) -> bool:
        """Whether every sequence is mapped onto its targets, rounded to the dtype."""
        return self.interpolated == self.sequences

    def json(self) -> JsonObject:
        """One copy as in `exactformer export --json`."""
        return {
            "dtype": self.dtype,
            "interpolates": self.interpolates,
            "sequences": self.sequences,
            "interpolated": self.interpolated,
            "largest_deviation": repr(self.largest_deviation),
        }


def float_copies(path: PathLike) -> list[FloatCopy]:
    """The float64 and float32 copies of a certificate's transformer on its own data; empty for a transformer file."""
    opened = Certificate.open(path)
    if opened.claim is None:
        return []
    transformer, data = opened.transformer, opened.dataset()
    return [_float_copy(transformer, data, dtype) for dtype in ("float64", "float32")]


def _float_copy(transformer: Transformer, data: Dataset, dtype: str) -> FloatCopy:
    backend = Backend.of("numpy", dtype)
    copy = ApproxTransformer(transformer, backend)
    good, worst = 0, 0.0
    for first, part, part_offsets in padded_chunks(data.tokens, data.offsets):
        with np.errstate(all="ignore"):
            images = np.asarray(copy(*pad(part, part_offsets, backend)))
        for j, n in enumerate(np.diff(part_offsets)):
            wanted = data.targets_of(first + j).floats().astype(dtype)
            good += set(map(tuple, images[j, :n].tolist())) == set(map(tuple, wanted.tolist()))
            worst = max(worst, _distance(images[j, :n], wanted))
    return FloatCopy(dtype, len(data), good, worst)


def _distance(outputs: Array, targets: Array) -> float:
    """The largest distance (max-norm) from an output to the nearest target; infinite where one is not finite."""
    gaps = np.abs(outputs[:, None, :].astype(np.float64) - targets[None, :, :]).max(axis=2).min(axis=1)
    return float(gaps.max()) if np.isfinite(gaps).all() else float("inf")


def arrays(transformer: Transformer) -> dict[str, Array]:
    """The float64 weights by name: block0.eta, block0.U, .., block0.rho, block0.V, .. (dense)."""
    d = transformer.dim
    _verify_size(transformer)
    named: dict[str, Array] = {}
    for k, block in enumerate(transformer):
        ff, sa = block.feed_forward, block.self_attention
        if ff is not None:
            named[f"block{k}.eta"] = np.array(float_of(ff.eta))
            named[f"block{k}.U"] = approx_matrix(ff.U, ff.width, d)
            named[f"block{k}.b"] = np.array([float_of(v) for v in ff.b])
            named[f"block{k}.W"] = approx_matrix(ff.W, d, ff.width)
        if sa is not None:
            height = max(len(sa.Q.dense(1, d)), len(sa.K.dense(1, d)))
            named[f"block{k}.rho"] = np.array(float_of(sa.rho))
            named[f"block{k}.V"] = approx_matrix(sa.V, d, d)
            named[f"block{k}.Q"], named[f"block{k}.K"] = (approx_matrix(m, height, d) for m in (sa.Q, sa.K))
    return named


def _verify_size(transformer: Transformer) -> None:
    """Declines a transformer whose short forms (zero, multiples of the identity, rank one) are too large as arrays."""
    d = transformer.dim
    widths = [block.feed_forward.width for block in transformer if block.feed_forward is not None]
    attentions = sum(block.self_attention is not None for block in transformer)
    numbers = 2 * d * sum(widths) + attentions * d * d
    if numbers > DENSE:
        raise Declined(
            f"arrays: expected at most {DENSE} numbers, which is the limit of npz and torch files, got {numbers} in "
            f"dimension {d}; LaTeX keeps the short forms of matrices"
        )


def write_npz(transformer: Transformer, path: PathLike) -> None:
    """Writes the float64 weights as an NPZ file."""
    buffer = io.BytesIO()
    named: dict[str, Untyped] = {"dim": np.array(transformer.dim), **arrays(transformer)}
    np.savez_compressed(buffer, **named)
    write_atomically(path, buffer.getvalue())


def write_torch(transformer: Transformer, path: PathLike) -> None:
    """Writes an exported program (torch.export.load reads it) that maps a tensor (n, d) of tokens to its image.

    `torch.export.load(path).module()` is the module, in float64, for any number n >= 1 of tokens.
    """
    weights = arrays(transformer)  # first: nobody installs PyTorch to learn that the weights are too large
    try:
        import torch
    except ImportError as problem:
        raise MissingExtra("PyTorch is not installed: pip install 'exactformer[gpu]'") from problem
    from exactformer.evaluate.torch_module import HardmaxTransformer

    module = HardmaxTransformer(weights, len(transformer), transformer.dim)
    example = torch.zeros((3, transformer.dim), dtype=torch.float64)
    tokens = torch.export.Dim("tokens", min=1)
    program = torch.export.export(module, (example,), dynamic_shapes={"x": {0: tokens}})
    buffer = io.BytesIO()
    torch.export.save(program, buffer)
    write_atomically(path, buffer.getvalue())


def export(thing: Transformer | FittedTransformer | Certificate | PathLike, path: PathLike, *, to: str = "") -> Path:
    """Writes a transformer as a torch.export program, float64 arrays or LaTeX, and returns the path.

    The transformer itself, one built or repaired, or the file of one. `to` is torch, npz or latex; left out, it is what
    the path ends in: .pt2 (or .pt), .npz, .tex.
    """
    form = to or SUFFIXES.get(Path(path).suffix, "")
    if form not in WRITERS:
        raise InvalidInput(
            f"to: expected torch, npz or latex, or a path that ends in .pt2, .npz or .tex, got {to or str(path)!r}"
        )
    WRITERS[form](_transformer(thing), path)
    return Path(path)


def _transformer(thing: Transformer | FittedTransformer | Certificate | PathLike) -> Transformer:
    if isinstance(thing, Transformer):
        return thing
    if isinstance(thing, FittedTransformer | Certificate):
        return thing.transformer
    if isinstance(thing, str | os.PathLike):
        return read_transformer(thing)
    raise InvalidInput(f"expected a transformer, a result that has one, or a file, got {type(thing).__name__}")


def write_latex(transformer: Transformer, path: PathLike) -> None:
    """Writes the exact weights as LaTeX."""
    write_atomically(path, (transformer.latex() + "\n").encode())


#: the forms, and what their files end in
WRITERS = {"torch": write_torch, "npz": write_npz, "latex": write_latex}
SUFFIXES = {".pt2": "torch", ".pt": "torch", ".npz": "npz", ".tex": "latex"}
