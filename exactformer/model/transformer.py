"""Blocks (feed-forward, then self-attention) and transformers: immutable data that evaluates exactly."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from exactformer.arithmetic.algebraic import Algebraic
from exactformer.arithmetic.ball import Ball
from exactformer.arithmetic.integers import Array, count
from exactformer.arithmetic.number import Num, NumberKind, balls, exactly, mpmath_numbers
from exactformer.arithmetic.short_text import short_repr
from exactformer.arithmetic.state import PointsLike, State
from exactformer.arithmetic.text import Exact, NumberLike, exact
from exactformer.display.html import table
from exactformer.display.verbs import Drawn, Exported
from exactformer.errors import InvalidInput, deprecated
from exactformer.io.json_lines import PathLike
from exactformer.model.attention import AttentionStep, SelfAttention
from exactformer.model.batch import Batch
from exactformer.model.feed_forward import FeedForward
from exactformer.model.matrix import MatrixLike, Scalar, matrix, text_bits

if TYPE_CHECKING:
    from exactformer.evaluate.batch import CompiledTransformer


@short_repr
@dataclass(frozen=True)
class Block:
    """Feed-forward, then self-attention; None is the identity."""

    feed_forward: FeedForward | None = None
    self_attention: SelfAttention | None = None

    @property
    def parameters(self) -> int:
        """The nonzero numbers stored."""
        return sum(layer.parameters for layer in (self.feed_forward, self.self_attention) if layer is not None)

    @property
    def width(self) -> int:
        """The number of units of the feed-forward layer."""
        return self.feed_forward.width if self.feed_forward is not None else 0

    @property
    def bits(self) -> int:
        """Bits of the largest integer stored."""
        return max((layer.bits for layer in (self.feed_forward, self.self_attention) if layer is not None), default=0)

    def verify_shape(self, dim: int, where: str) -> None:
        """Raises InvalidInput unless the block acts on dimension `dim`."""
        if self.feed_forward is not None:
            self.feed_forward.verify_shape(dim, f"{where} feed-forward")
        if self.self_attention is not None:
            self.self_attention.verify_shape(dim, f"{where} self-attention")


def pure_attention(A: MatrixLike, alpha: NumberLike) -> Block:
    """The layer z_i -> z_i + a*mean_{j in C_i}(z_j - z_i), C_i = argmax_j <A z_i, z_j>, a = alpha/(1+alpha)."""
    step = exact(alpha, "alpha")
    if not step > 0:
        raise InvalidInput(f"expected alpha > 0, got {step}")
    a = step / (1 + step)
    return Block(None, SelfAttention(1 - a, Scalar(a), matrix(A), Scalar(1)))


@short_repr
@dataclass(frozen=True)
class Trace:
    """One sequence after every layer: the tokens, and the follower sets of each attention."""

    tokens: list[list[Num]]
    steps: list[AttentionStep | None]


@dataclass(frozen=True)
class Transformer(Exported, Drawn):
    """A composition of blocks on sequences of tokens in dimension `dim`.

    >>> double = Block(FeedForward(2, {"zero": True}, [0], {"zero": True}))
    >>> Transformer(1, [double, double])([["1/2"]])[0]
    (Fraction(2, 1),)
    """

    dim: int
    blocks: tuple[Block, ...]

    def __init__(self, dim: int, blocks: Iterable[Block]) -> None:
        object.__setattr__(self, "dim", count(dim, "dim", 1))
        object.__setattr__(self, "blocks", tuple(blocks))
        for k, block in enumerate(self.blocks):
            if not isinstance(block, Block):
                raise InvalidInput(f"block {k}: expected a Block, got {block!r:.60}; Block(None, attention) makes one")
            block.verify_shape(dim, f"block {k}")

    def __len__(self) -> int:
        return len(self.blocks)

    def __iter__(self) -> Iterator[Block]:
        return iter(self.blocks)

    def __repr__(self) -> str:
        return f"Transformer(dim={self.dim}, {len(self)} blocks of width <= {self.width}, {self.parameters} parameters)"

    # counting ------------------------------------------------------------------------------------
    @property
    def parameters(self) -> int:
        """The nonzero numbers stored (rank-one factors, not their product)."""
        return sum(block.parameters for block in self.blocks)

    @property
    def looped_parameters(self) -> int:
        """The nonzero numbers stored where equal blocks are stored once."""
        return sum(block.parameters for block in set(self.blocks))

    @property
    def weight_bits(self) -> int:
        """Bits of the numerators and denominators of all nonzero numbers; a denominator 1 has none."""
        return sum(text_bits(x) for block in self.blocks for x in _weights(block) if x)

    @property
    def dense_parameters(self) -> int:
        """The numbers of the same layers with dense matrices."""
        layers = [layer for block in self.blocks for layer in (block.feed_forward, block.self_attention)]
        return sum(layer.dense_parameters(self.dim) for layer in layers if layer is not None)

    @property
    def width(self) -> int:
        """The largest number of units of a feed-forward layer."""
        return max((block.width for block in self.blocks), default=0)

    @property
    def bits(self) -> int:
        """Bits of the largest integer stored."""
        return max((block.bits for block in self.blocks), default=0)

    @property
    def attention_ranks(self) -> list[int]:
        """An upper bound of the rank of every block's score form (0: uniform or no attention)."""
        return [b.self_attention.score_rank(self.dim) if b.self_attention is not None else 0 for b in self.blocks]

    # evaluation ----------------------------------------------------------------------------------
    @cached_property
    def compiled(self) -> CompiledTransformer:
        """The layers in the form that evaluates fastest."""
        from exactformer.evaluate.batch import compile_transformer

        return compile_transformer(self)

    def __call__(self, tokens: PointsLike) -> State:
        """The exact image of one sequence."""
        return self.evaluate(Batch.of(self._state(tokens))).tokens()

    def evaluate(self, batch: Batch) -> Batch:
        """The exact images of all sequences of a batch."""
        return self.compiled.evaluate(batch)

    def evaluate_parts(self, batch: Batch) -> Iterator[Batch]:
        """The exact images, some sequences at a time."""
        return self.compiled.evaluate_parts(batch)

    def by_definition(self, tokens: PointsLike, kind: NumberKind = exactly) -> list[list[Num]]:
        """The image of one sequence by the definition of every layer: the reference for every other path."""
        return self.trace(tokens, kind).tokens[-1]

    def trace(self, tokens: PointsLike, kind: NumberKind = exactly) -> Trace:
        """The sequence before the first and after every block, by definition, with the follower sets."""
        rows: list[list[Num]] = [[kind(v) for v in row] for row in self._state(tokens).rows()]
        after: list[list[list[Num]]] = [rows]
        steps: list[AttentionStep | None] = []
        for block in self.blocks:
            if block.feed_forward is not None:
                rows = [block.feed_forward.apply(x, kind) for x in rows]
            step = block.self_attention.step(rows, kind) if block.self_attention is not None else None
            rows = step.outputs if step is not None else rows
            steps.append(step)
            after.append(rows)
        return Trace(after, steps)

    def enclose(self, tokens: PointsLike, *, bits: int) -> list[list[Ball]]:
        """Balls that contain the image; works for softmax; raises Undecided where `bits` are too few."""
        return self.by_definition(tokens, balls(bits))

    def approx_digits(self, tokens: PointsLike, *, digits: int) -> list[list[Num]]:
        """The image in mpmath numbers of the given digits: numbers rather than proofs."""
        import mpmath

        with mpmath.workdps(digits):
            return self.by_definition(tokens, mpmath_numbers(digits))

    def approx(
        self, tokens: PointsLike, *, backend: str = "numpy", dtype: str = "float64", device: str | None = None
    ) -> Array:
        """The float image of one sequence as a NumPy array: the path to cross-check, never a proof."""
        from exactformer.evaluate.floats import Backend, approx

        return approx(self, tokens, backend=Backend.of(backend, dtype, device))

    def latex(self, *, most: int | None = None) -> str:
        """The exact weights of every block in LaTeX; matrices of more than `most` rows or columns cut short."""
        from exactformer.model.latex import latex_transformer

        return latex_transformer(self, most=most)

    def _repr_latex_(self) -> str:
        return self.latex(most=8)

    def json(self) -> dict[str, int]:
        """The sizes; the weights themselves are in the file that `save` writes."""
        sizes = {"dim": self.dim, "blocks": len(self), "width": self.width, "parameters": self.parameters}
        return sizes | {"bits": self.bits}

    def _repr_html_(self) -> str:
        rows = (
            [k, block.width, _attention_in_words(block.self_attention), block.parameters, block.bits]
            for k, block in enumerate(self)
        )
        return table(["block", "units", "attention", "numbers", "bits"], rows)

    @classmethod
    def read(cls, path: PathLike) -> Transformer:
        """The transformer of a transformer file or of an interpolation certificate."""
        from exactformer.model.transformer_files import read_transformer

        return read_transformer(path)

    def save(self, path: PathLike) -> Path:
        """Writes a transformer file, which `ef.load` reads, and returns its path."""
        from exactformer.model.transformer_files import write_transformer

        write_transformer(self, path)
        return Path(path)

    def write(self, path: PathLike) -> None:
        """The older name of `save`."""
        deprecated("Transformer.write", "Transformer.save")
        self.save(path)

    def certify(self, data: object, path: PathLike, *, attention: str = "hardmax") -> Path:
        """Writes the certificate that every sequence of the data is mapped exactly onto its targets; its path.

        `data` is whatever `Dataset.of` takes. The targets of a label are the outputs of its sequences, which must be
        equal for equal labels and different for different ones. Raises InvalidInput, with the sequences, if not.
        """
        from exactformer.certificates.of_transformer import certify_transformer

        certify_transformer(self, data, path, attention=attention)
        return Path(path)

    def _state(self, tokens: PointsLike) -> State:
        state = State.of(tokens)
        if state.dim != self.dim:
            raise InvalidInput(f"expected tokens of dimension {self.dim}, got {state.dim}")
        return state

    @property
    def is_rational(self) -> bool:
        """Whether every weight is rational, so that the transformer has a file form."""
        return not any(isinstance(x, Algebraic) for block in self.blocks for x in _weights(block))


def at_temperature(transformer: Transformer, beta: Exact | None) -> Transformer:
    """The same weights with softmax attention at inverse temperature beta; None: with hardmax."""
    layers = [(b.feed_forward, b.self_attention) for b in transformer]
    soft = [(ff, None if sa is None else SelfAttention(sa.rho, sa.V, sa.Q, sa.K, beta)) for ff, sa in layers]
    return Transformer(transformer.dim, [Block(*pair) for pair in soft])


def _weights(block: Block) -> Iterator[Exact]:
    if block.feed_forward is not None:
        ff = block.feed_forward
        yield from (ff.eta, *ff.b, *ff.U.numbers(), *ff.W.numbers())
    if block.self_attention is not None:
        sa = block.self_attention
        yield from (sa.rho, *sa.V.numbers(), *sa.Q.numbers(), *sa.K.numbers())


def _attention_in_words(layer: SelfAttention | None) -> str:
    if layer is None:
        return "none"
    if layer.is_uniform:
        return "uniform"
    return "hardmax" if layer.beta is None else f"softmax, beta = {layer.beta}"
