"""What a trained network is made of, apart from its numbers: the keys that its file and its certificates share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from math import prod

from exactformer.errors import InvalidInput, Malformed
from exactformer.io.canonical import canonical, from_canonical
from exactformer.io.json_lines import JsonObject
from exactformer.model.head_rules import HeadRule, rules_of_json

NORMS = ("pre", "post", "none")
ACTIVATIONS = ("relu", "gelu", "gelu_tanh")
HEADS = ("free", "tied", "none")

#: key -> the least and the largest count that it may have
_COUNTS = {
    "dim": (1, 10**6),
    "heads": (1, 10**6),
    "hidden": (1, 10**6),
    "blocks": (0, 1000),
    "vocabulary": (1, 10**6),
    "positions": (1, 10**6),
    "types": (0, 1000),
    "classes": (1, 10**6),
}
_WORDS = {"norm": NORMS, "activation": ACTIVATIONS, "head": HEADS}
#: keys that a file has only where they say something
_OPTIONAL = {"embedding", "rules"}
_FLAGS = ("shared", "embedding_norm", "final_norm", "causal")


@dataclass(frozen=True, kw_only=True)
class Architecture:
    """Sizes and kinds of the parts of a network; `classes` is the length of an output, `dim` where there is no head.

    x_i = token[ids_i] + position[i] (+ type[types_i]), LayerNorm if `embedding_norm`; then per block, for norm `pre`,
    x <- x + out(attention(LN1 x)), x <- x + down(act(up(LN2 x))); for `post`, x <- LN1(x + out(attention(x))),
    x <- LN2(x + down(act(up x))); for `none`, both without LN. LayerNorm if `final_norm`; then the head, which is the
    token table if `tied`. `shared`: one block's weights serve all. Heads are softmax of <q, k> / sqrt(dim / heads) over
    all tokens, or over those up to the token itself if `causal`. Two more keys, of which no certificate speaks:
    `embedding`, the width of the tables where they are narrower than `dim` (factorised; a linear map follows the
    embedding norm), and `rules`, how each head attends where they differ, one per head or one per block and head.

    >>> plain = Architecture(dim=4, heads=2, hidden=8, blocks=1, vocabulary=5, positions=3, classes=5, norm="none")
    >>> plain.size, plain.shapes["0.up"]
    (213, (8, 4))
    """

    dim: int
    heads: int
    hidden: int
    blocks: int
    shared: bool = False
    vocabulary: int
    positions: int
    types: int = 0
    classes: int
    norm: str
    embedding_norm: bool = False
    final_norm: bool = False
    activation: str = "relu"
    causal: bool = False
    head: str = "free"
    epsilon: Fraction = Fraction(1, 10**5)
    embedding: int | None = None
    rules: tuple[HeadRule, ...] | None = None

    def __post_init__(self) -> None:
        for key, (least, most) in _COUNTS.items():
            value = getattr(self, key)
            if type(value) is not int or not least <= value <= most:
                raise InvalidInput(f"{key}: expected an integer from {least} to {most}, got {value!r:.60}")
        for key, words in _WORDS.items():
            if getattr(self, key) not in words:
                raise InvalidInput(f"{key}: expected one of {', '.join(words)}, got {getattr(self, key)!r:.60}")
        for key in _FLAGS:
            if type(getattr(self, key)) is not bool:
                raise InvalidInput(f"{key}: expected true or false, got {getattr(self, key)!r:.60}")
        if not isinstance(self.epsilon, Fraction) or self.epsilon <= 0:
            raise InvalidInput(f"epsilon: expected a rational number > 0, got {self.epsilon!s:.60}")
        self._verify_fit()

    def _verify_fit(self) -> None:
        """Raises InvalidInput where two keys contradict each other."""
        if self.dim % self.heads:
            raise InvalidInput(f"heads: expected a divisor of dim = {self.dim}, got {self.heads}")
        if self.shared and not self.blocks:
            raise InvalidInput("shared: expected at least one block to share, got none")
        outputs = {"tied": self.vocabulary, "none": self.dim}.get(self.head, self.classes)
        if self.classes != outputs:
            raise InvalidInput(f"classes: expected {outputs} with head {self.head!r}, got {self.classes}")
        if self.embedding is not None and (type(self.embedding) is not int or not 1 <= self.embedding <= 10**6):
            raise InvalidInput(f"embedding: expected an integer from 1 to 1000000, got {self.embedding!r:.60}")
        if self.embedding is not None and self.head == "tied":
            raise InvalidInput("head: a tied head needs tables as wide as the network, not factorised ones")
        if self.rules is not None and len(self.rules) not in (self.heads, self.heads * self.blocks):
            counts = f"{self.heads} or {self.heads * self.blocks}"
            raise InvalidInput(
                f"rules: expected one per head, or one per block and head, {counts}, got {len(self.rules)}"
            )
        if self.rules is not None and self.causal:
            raise InvalidInput("causal: expected false where every head has a rule of its own; give the mask upto")

    @property
    def head_dim(self) -> int:
        """The width of one head, dim / heads."""
        return self.dim // self.heads

    def head_rules(self, k: int) -> tuple[HeadRule, ...]:
        """How the heads of block k attend."""
        if self.rules is None:
            return (HeadRule("upto" if self.causal else None),) * self.heads
        start = k * self.heads if len(self.rules) > self.heads else 0
        return self.rules[start : start + self.heads]

    @property
    def is_rational(self) -> bool:
        """Whether outputs are rational: hardmax, ReLU and no LayerNorm."""
        norms = self.norm != "none" or self.embedding_norm or self.final_norm
        soft = any(rule.ties is None for k in range(self.blocks) for rule in self.head_rules(k))
        return not norms and (not self.blocks or (self.activation == "relu" and not soft))

    @property
    def own_blocks(self) -> int:
        """How many blocks have weights of their own: one if shared."""
        return 1 if self.shared else self.blocks

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The shape of every tensor, in the order of the weight string; matrices have one row per output."""
        d, m, width = self.dim, self.hidden, self.embedding or self.dim
        shapes: dict[str, tuple[int, ...]] = {
            "token": (self.vocabulary, width),
            "position": (self.positions, width),
            "type": (self.types, width),
        }
        if self.embedding_norm:
            shapes |= {"embedding_gain": (width,), "embedding_bias": (width,)}
        if self.embedding is not None:
            shapes |= {"map": (d, width), "map_bias": (d,)}
        for k in range(self.own_blocks):
            block = {"qkv": (3 * d, d), "qkv_bias": (3 * d,), "out": (d, d), "out_bias": (d,)}
            block |= {"up": (m, d), "up_bias": (m,), "down": (d, m), "down_bias": (d,)}
            if self.norm != "none":
                block |= dict.fromkeys(("gain1", "bias1", "gain2", "bias2"), (d,))
            shapes |= {f"{k}.{name}": shape for name, shape in block.items()}
        if self.final_norm:
            shapes |= {"final_gain": (d,), "final_bias": (d,)}
        if self.head == "free":
            shapes["head"] = (self.classes, d)
        if self.head != "none":
            shapes["head_bias"] = (self.classes,)
        return shapes

    @property
    def size(self) -> int:
        """The number of entries of the weight string."""
        return sum(prod(shape) for shape in self.shapes.values())

    def header(self) -> JsonObject:
        """The keys as a file has them, epsilon as canonical text; `embedding` and `rules` only where they are given."""
        keys: JsonObject = {field.name: getattr(self, field.name) for field in fields(self)}
        keys["epsilon"] = canonical(self.epsilon)
        if self.embedding is None:
            del keys["embedding"]
        if self.rules is None:
            del keys["rules"]
        else:
            keys["rules"] = [rule.json() for rule in self.rules]
        return keys

    @classmethod
    def of_header(cls, keys: Mapping[str, object], where: str) -> Architecture:
        """The architecture that these keys of a file say, no fewer and no more; raises Malformed."""
        expected = {field.name for field in fields(cls)} - _OPTIONAL
        if keys.keys() - _OPTIONAL != expected:
            odd = sorted(expected ^ (keys.keys() - _OPTIONAL))
            raise Malformed(f"{where}: expected the keys of an architecture, got too few or too many: {', '.join(odd)}")
        values = dict(keys)
        try:
            values["epsilon"] = from_canonical(values["epsilon"])  # type: ignore[arg-type]
            if "rules" in values:
                values["rules"] = rules_of_json(values["rules"], where)
            return cls(**values)  # type: ignore[arg-type]
        except InvalidInput as problem:
            raise Malformed(f"{where}: {problem}") from problem
