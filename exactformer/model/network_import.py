"""Networks of others: named weights and their configuration become a network, or a message says what is missing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

from exactformer.errors import InvalidInput, Malformed, MissingOption
from exactformer.io.json_lines import JsonObject, PathLike, read_arrays, read_bytes, reading_file, strict_json
from exactformer.io.safetensors import read_safetensors
from exactformer.model.architecture import ACTIVATIONS, NORMS, Architecture
from exactformer.model.known_names import naming_of
from exactformer.model.network import READS, Network
from exactformer.model.tensor_names import Naming, Tensors, network_tensors, sizes, verify_names, with_flat_positions
from exactformer.model.torch_weights import STATE_DICTS, module_weights, read_state_dict, verify_parts

#: the files of a folder that holds a network
WEIGHTS, OLDER_WEIGHTS, CONFIG = "model.safetensors", "pytorch_model.bin", "config.json"
#: how files of weights end
ENDINGS = (".safetensors", ".npz", *STATE_DICTS)
#: how many places before or after the point an epsilon may have
_MOST_PLACES = 400
#: what a file may leave open, with what is expected of it
OPTIONS = {
    "heads": "a count",
    "blocks": "a count",
    "norm": ", ".join(NORMS),
    "activation": ", ".join(ACTIVATIONS),
    "epsilon": "a number > 0, such as 1e-5",
    "causal": "true or false",
    "read": ", ".join(READS),
}


@dataclass(frozen=True)
class Imported:
    """A network, whose names its weights had, and which weights belong to other outputs and were left aside."""

    network: Network
    names: str
    aside: tuple[str, ...]


def import_network(
    path: PathLike, *, config: PathLike | None = None, names: Mapping[str, str] | None = None, **options: object
) -> Imported:
    """The network of a .safetensors file, an NPZ, or a folder with model.safetensors and config.json.

    `options` are those of OPTIONS; `names` says which tensor is `token`, `position` or `head` beside one of
    torch's encoders. They go before the configuration. Raises MissingOption, which names all that nothing says.
    """
    place = Path(path)
    if place.is_dir():
        config = config if config is not None else place / CONFIG if (place / CONFIG).is_file() else None
        place = place / (OLDER_WEIGHTS if _has_only_older_weights(place) else WEIGHTS)
    read = read_weights(place)
    return network_of_tensors(read, {} if config is None else _configuration(config), str(path), names=names, **options)


def _has_only_older_weights(folder: Path) -> bool:
    return (folder / OLDER_WEIGHTS).is_file() and not (folder / WEIGHTS).exists()


def import_module(
    module: object,
    *,
    tables: Mapping[str, object] | None = None,
    names: Mapping[str, str] | None = None,
    **options: object,
) -> Imported:
    """The network of a torch.nn.Module; `tables` are token, position or head that stand outside of it."""
    where = type(module).__name__
    tensors, config, said = module_weights(module, tables or {}, where)
    given = {key: value for key, value in options.items() if value is not None}
    for key in said.keys() & given.keys():
        told, other = (_epsilon(v) if key == "epsilon" else v for v in (said[key], given[key]))
        if told is not None and told != other:
            raise InvalidInput(f"{where}: {key}: the module says {said[key]}, got {given[key]!r:.40}")
    found = network_of_tensors(tensors, config, where, names=names, **{**said, **given})
    if found.names == "torch":
        for part in (module, *(tables or {}).values()):
            verify_parts(part, where)
    return found


def read_weights(path: Path) -> Tensors:
    """The named tensors of a .safetensors file, an NPZ, or a state dict of torch."""
    if path.suffix.lower() == ".safetensors":
        return read_safetensors(path)
    if path.suffix.lower() in STATE_DICTS:
        return read_state_dict(path)
    if path.suffix.lower() != ".npz":
        kinds = f"a .safetensors file, an NPZ, a state dict ({', '.join(STATE_DICTS)})"
        raise InvalidInput(f"{path}: expected {kinds}, or a folder with {WEIGHTS} and {CONFIG}")
    with reading_file(path):
        arrays = read_arrays(path, "named weights (NPZ)")
    if not isinstance(arrays, dict):
        raise Malformed(f"{path}: expected named weights (NPZ), got one array")
    return arrays


def network_of_tensors(
    tensors: Tensors, config: JsonObject, where: str, *, names: Mapping[str, str] | None = None, **options: object
) -> Imported:
    """The network that these named tensors, this configuration and these options say."""
    odd = sorted(options.keys() - OPTIONS.keys())
    if odd:
        raise InvalidInput(f"expected options among {', '.join(OPTIONS)}, got {', '.join(odd)}")
    naming = naming_of(tensors, config, names or {}, where)
    verify_names(naming, tensors, where)
    tensors = with_flat_positions(naming, tensors) if naming.family == "torch" else tensors
    given = {key: value for key, value in options.items() if value is not None}
    architecture, read = _architecture(naming, tensors, {**naming.said, **given}, where)
    for key, size in naming.config_sizes.items():
        said, got = config.get(key), getattr(architecture, size)
        if said is not None and said != got and size not in given:
            raise InvalidInput(f"{where}: the configuration says {key} = {said!r:.40}, the weights say {got}")
    network = Network(architecture, network_tensors(naming, architecture, tensors, where), read=read)
    return Imported(network, naming.family, tuple(name for name in naming.aside if name in tensors))


def _architecture(naming: Naming, tensors: Tensors, said: Mapping[str, object], where: str) -> tuple[Architecture, str]:
    """The architecture, and which outputs answer; raises MissingOption where something is left open."""
    sources = naming.sources
    needed = ["heads", "norm", "activation", "causal", "read"] + (["blocks"] if naming.shared else [])
    if any(name.endswith(("gain", "gain1")) for name in sources):
        needed.append("epsilon")
    missing = [key for key in OPTIONS if key in needed and key not in said]
    if missing:
        listed = ", ".join(f"{key} ({OPTIONS[key]})" for key in missing)
        raise MissingOption(f"{where} does not say, so give: {listed}")
    keys = dict(said)
    read = str(keys.pop("read"))
    blocks = keys.pop("blocks", naming.blocks)
    if not naming.shared and blocks != naming.blocks:
        raise InvalidInput(f"blocks: the weights have {naming.blocks}, got {blocks!r:.40}")
    if (keys["norm"] == "none") != ("0.gain1" not in sources) and naming.blocks:
        raise InvalidInput(
            f"norm: expected {'none' if '0.gain1' not in sources else 'pre or post'}, got {keys['norm']}"
        )
    if keys["norm"] == "post" and not sources.get("0.gain2", sources["token"]).names:
        raise InvalidInput("norm: expected pre or none where blocks are attention alone, got post")
    if "epsilon" in keys:
        keys["epsilon"] = _epsilon(keys["epsilon"])
    keys |= sizes(naming, tensors, where) | {"blocks": blocks, "shared": naming.shared}
    keys |= {"embedding_norm": "embedding_gain" in sources, "final_norm": "final_gain" in sources}
    keys["head"] = "free" if "head" in sources else "tied" if "head_bias" in sources else "none"
    try:
        return Architecture(**keys), read  # type: ignore[arg-type]
    except InvalidInput as problem:
        raise InvalidInput(f"{where}: {problem}") from problem


def _epsilon(value: object) -> Fraction:
    """The rational number that is written: 1e-5 is 1/100000, also where it is a float of Python."""
    text = str(value)
    try:
        if "/" not in text and abs(Decimal(text).adjusted()) > _MOST_PLACES:  # before so long a number is made
            raise ValueError(text)
        return Fraction(text)
    except (ArithmeticError, ValueError):
        raise InvalidInput(f"epsilon: expected a number > 0, such as 1e-5, got {text!r:.60}") from None


def _configuration(path: PathLike) -> JsonObject:
    found = strict_json(read_bytes(path), str(path))
    if not isinstance(found, dict):
        raise Malformed(f"{path}: expected a JSON object, got {type(found).__name__}")
    return found
