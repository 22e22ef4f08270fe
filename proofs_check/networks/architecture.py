"""The header of `argmax` and `enclosure`, and the tensors that it implies (FORMAT.md, section 16, rules 1 and 2)."""

from dataclasses import dataclass
from fractions import Fraction

from ..core.budget import Budget
from ..core.lines import count
from ..core.numbers import number
from ..core.verdict import Json, well_formed

KEYS = (
    "heads hidden blocks shared vocabulary positions types classes norm embedding_norm final_norm activation causal "
    "head epsilon bits weights inline cases domains"
)
#: key of the header -> least value, first value that is too large
RANGES = {
    **dict.fromkeys(("dim", "heads", "hidden", "vocabulary", "positions", "classes"), (1, 10**6 + 1)),
    "blocks": (0, 1001),
    "types": (0, 1001),
    "bits": (32, 481),
    **dict.fromkeys(("inline", "cases", "domains"), (0, 10**15)),
}
CHOICES = {
    "norm": ("pre", "post", "none"),
    "activation": ("relu", "gelu", "gelu_tanh"),
    "head": ("free", "tied", "none"),
    "at": ("last", "every"),
}
BOOLEANS = ("shared", "embedding_norm", "final_norm", "causal")
Shape = tuple[int, int]  # rows, which are outputs, and columns


@dataclass(frozen=True)
class Architecture:
    """What a verified header says about the network: its sizes, its parts, and the bits of the arithmetic."""

    dim: int
    heads: int
    hidden: int
    blocks: int
    shared: bool
    vocabulary: int
    positions: int
    types: int
    classes: int
    norm: str
    embedding_norm: bool
    final_norm: bool
    activation: str
    causal: bool
    head: str
    epsilon: Fraction
    bits: int


def read_architecture(header: dict[str, Json], budget: Budget) -> Architecture:
    """The architecture that a header with the keys of its claim describes (rule 1)."""
    for key, (least, below) in RANGES.items():
        count(header[key], least, below)
    for key in CHOICES.keys() & header.keys():
        well_formed(header[key] in CHOICES[key], f'"{key}" must be one of {", ".join(CHOICES[key])}')
    for key in BOOLEANS:
        well_formed(type(header[key]) is bool, f'"{key}" must be true or false')
    epsilon = number(header["epsilon"], budget)
    well_formed(epsilon > 0, '"epsilon" must be positive')
    found = Architecture(**{key: header[key] for key in Architecture.__dataclass_fields__} | {"epsilon": epsilon})
    verify_sizes(found)
    well_formed(header["cases"] + header["domains"] >= 1, "there must be a case or a domain")
    return found


def verify_sizes(net: Architecture) -> None:
    """The sizes of a header fit each other."""
    well_formed(net.dim % net.heads == 0, '"heads" must divide "dim"')
    well_formed(net.blocks >= 1 or not net.shared, '"shared" needs a block')
    well_formed(net.head != "tied" or net.classes == net.vocabulary, "a tied head has a class for every token")
    well_formed(net.head != "none" or net.classes == net.dim, "without a head there is a class for every dimension")


def block_tensors(net: Architecture) -> list[tuple[str, Shape]]:
    """The tensors of one block in their order."""
    d, m = net.dim, net.hidden
    matrices = {"qkv": (3 * d, d), "out": (d, d), "up": (m, d), "down": (d, m)}
    found = [item for key, (rows, columns) in matrices.items() for item in affine(key, rows, columns)]
    norms = [] if net.norm == "none" else ["gain1", "bias1", "gain2", "bias2"]
    return found + [(key, (1, d)) for key in norms]


def affine(key: str, rows: int, columns: int) -> list[tuple[str, Shape]]:
    """A matrix and its bias."""
    return [(key, (rows, columns)), (f"{key} bias", (1, rows))]


def tensors(net: Architecture) -> list[tuple[str, Shape]]:
    """Name and shape of every tensor of the weight string, in its order (rule 2); tensors without rows are none."""
    d, norm = net.dim, [("gain", (1, net.dim)), ("bias", (1, net.dim))]
    tables = {"token": net.vocabulary, "position": net.positions, "type": net.types}
    found = [(key, (rows, d)) for key, rows in tables.items() if rows]
    found += [(f"embedding {key}", shape) for key, shape in norm if net.embedding_norm]
    one = block_tensors(net)
    for block in range(min(net.blocks, 1) if net.shared else net.blocks):
        found += [(f"block {block} {key}", shape) for key, shape in one]
    found += [(f"final {key}", shape) for key, shape in norm if net.final_norm]
    if net.head == "free":
        found.append(("head", (net.classes, d)))
    return found if net.head == "none" else [*found, ("head bias", (1, net.classes))]
