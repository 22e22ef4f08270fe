"""The names that GPT-2 and nanoGPT, BERT, ALBERT, torch's encoders and this package give to weights."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from exactformer.errors import InvalidInput
from exactformer.io.json_lines import JsonObject
from exactformer.model.tensor_names import (
    Check,
    Naming,
    StackedNames,
    Tensors,
    counted_blocks,
    layer_norm,
    linear,
    with_biases,
)

_ACTIVATIONS = {
    "relu": "relu",
    "gelu": "gelu",
    "gelu_new": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
    "gelu_tanh": "gelu_tanh",
}
_NONE = StackedNames((), optional=True)
#: family -> key of its configuration -> the values under which the network is one that is known here
_ALLOWED: dict[str, dict[str, tuple[object, ...]]] = {
    "gpt2": {
        "model_type": ("gpt2",),
        "scale_attn_weights": (True,),
        "scale_attn_by_inverse_layer_idx": (False,),
        "add_cross_attention": (False,),
    },
    "bert": {"model_type": ("bert",), "position_embedding_type": ("absolute",), "add_cross_attention": (False,)},
    "albert": {
        "model_type": ("albert",),
        "position_embedding_type": ("absolute",),
        "num_hidden_groups": (1,),
        "inner_group_num": (1,),
    },
}
_BERT_SIZES = {
    "hidden_size": "dim",
    "num_hidden_layers": "blocks",
    "intermediate_size": "hidden",
    "vocab_size": "vocabulary",
    "max_position_embeddings": "positions",
    "type_vocab_size": "types",
}
_GPT2_SIZES = {
    "n_embd": "dim",
    "n_layer": "blocks",
    "n_inner": "hidden",
    "vocab_size": "vocabulary",
    "n_positions": "positions",
}
#: what modules around torch's encoders usually call their other parts
_TORCH_NAMES = {
    "token": ("token", "tokens", "embedding", "embed", "token_embedding", "tok_emb", "tok", "src_embed"),
    "position": ("position", "positions", "position_embedding", "pos_embedding", "pos_emb", "pos_embed", "pos"),
    "head": ("head", "lm_head", "classifier", "fc", "output", "decoder"),
}
_IN_PROJ = re.compile(r"(|.*\.)(self_attn|attn|attention|mha)\.in_proj_weight")


def naming_of(tensors: Tensors, config: JsonObject, names: Mapping[str, str], where: str) -> Naming:
    """The way in which these weights are named; `names` says which tensor is `token`, `position` or `head`."""
    if any(name.endswith("wte.weight") for name in tensors):
        naming = _gpt2(tensors, config, where)
    elif any("albert_layer_groups." in name for name in tensors):
        naming = _albert(tensors, config, where)
    elif any(name.endswith("attention.self.query.weight") for name in tensors):
        naming = _bert(tensors, config, where)
    elif any(_IN_PROJ.fullmatch(name) for name in tensors):
        naming = _torch(tensors, names, where)
    elif "token" in tensors and "position" in tensors:
        naming = _own(tensors, where)
    elif "in_proj_weight" in tensors:
        raise InvalidInput(
            f"{where}: expected a network around the attention, got MultiheadAttention alone: blocks add their input, "
            "so that it is one as part `attn` of a module with token and position tables"
        )
    else:
        got = ", ".join(sorted(tensors)[:12]) or "none"
        raise InvalidInput(f"{where}: expected GPT-2, BERT, ALBERT or torch encoder names of weights, got {got}")
    if names and naming.family != "torch":
        raise InvalidInput(f"{where}: names are for torch encoders, and these weights have {naming.family} names")
    for key, values in _ALLOWED.get(naming.family, {}).items():
        if config.get(key) is not None and config[key] not in values:
            raise InvalidInput(f"{where}: expected {key} = {values[0]!r} in the configuration, got {config[key]!r:.60}")
    return naming


def _numbers(tensors: Tensors, pattern: str) -> set[int]:
    """The numbers of the blocks: those that the pattern finds at the beginning of names."""
    found = (re.match(pattern + r"(\d{1,6})\.", name, re.ASCII) for name in tensors)
    return {int(match[1]) for match in found if match}


def _prefix(tensors: Tensors, ending: str, allowed: tuple[str, ...], where: str) -> str:
    """What stands before a name that every network of this family has."""
    found = sorted(name.removesuffix(ending) for name in tensors if name.endswith(ending))
    if len(found) != 1 or found[0] not in allowed:
        expected = " or ".join(prefix + ending for prefix in allowed)
        raise InvalidInput(f"{where}: expected {expected}, got {', '.join(p + ending for p in found) or 'neither'}")
    return found[0]


def _said(config: JsonObject, where: str, **keys: str) -> dict[str, object]:
    """What the configuration says, under the names of options; an activation by the name that it has here."""
    said = {option: config[key] for option, key in keys.items() if config.get(key) is not None}
    if "activation" in said:
        name = said["activation"]
        if not isinstance(name, str) or name not in _ACTIVATIONS:
            raise InvalidInput(f"{where}: expected an activation of {', '.join(_ACTIVATIONS)}, got {name!r:.60}")
        said["activation"] = _ACTIVATIONS[name]
    return said


def _gpt2(tensors: Tensors, config: JsonObject, where: str) -> Naming:
    body = _prefix(tensors, "wte.weight", ("", "transformer.", "_orig_mod.transformer."), where)
    blocks = counted_blocks(_numbers(tensors, re.escape(body) + r"h\."), where)
    before = body.removesuffix("transformer.")
    heads = (before + name for name in ("lm_head", "score", "classifier"))
    head = next((name for name in heads if f"{name}.weight" in tensors), None)
    first = np.shape(tensors.get(f"{body}h.0.attn.c_attn.weight", ()))
    flip = len(first) == 2 and first[1] == 3 * first[0]  # GPT-2 stores x @ W, nanoGPT one row per output
    sources = {
        "token": StackedNames((f"{body}wte.weight",)),
        "position": StackedNames((f"{body}wpe.weight",)),
        "type": _NONE,
    }
    checks: dict[str, Check] = {}
    for k in range(blocks):
        at = f"{body}h.{k}."
        sources |= linear(f"{k}.qkv", at + "attn.c_attn", transposed=flip)
        sources |= linear(f"{k}.out", at + "attn.c_proj", transposed=flip)
        sources |= linear(f"{k}.up", at + "mlp.c_fc", transposed=flip)
        sources |= linear(f"{k}.down", at + "mlp.c_proj", transposed=flip)
        sources |= layer_norm(f"{k}.gain1", f"{k}.bias1", at + "ln_1")
        sources |= layer_norm(f"{k}.gain2", f"{k}.bias2", at + "ln_2")
        checks |= {at + "attn.bias": _is_causal_mask, at + "attn.masked_bias": _is_one_number}
    sources |= layer_norm("final_gain", "final_bias", body + "ln_f")
    sources = with_biases(sources, None if flip else tensors)  # nanoGPT has all or none
    if head is not None:
        sources |= linear("head", head)
    elif config.get("architectures") != ["GPT2Model"]:  # which has none; all others without one use the token table
        sources["head_bias"] = _NONE
        if config.get("tie_word_embeddings") is False:
            raise InvalidInput(f"{where}: the configuration says that the head is not tied; expected lm_head.weight")
    said = _said(config, where, heads="n_head", activation="activation_function", epsilon="layer_norm_epsilon")
    said |= {"norm": "pre", "causal": True, "read": "all" if head == before + "classifier" else "last"}
    return Naming("gpt2", sources, blocks, said, checks=checks, config_sizes=_GPT2_SIZES)


def _is_causal_mask(tensor: NDArray[np.generic]) -> bool:
    """Whether it is one square that is nonzero up to the diagonal and zero above."""
    n = tensor.shape[-1] if tensor.ndim >= 2 else 0
    return tensor.size == n * n > 0 and np.array_equal(tensor.reshape(n, n) != 0, np.tri(n, dtype=bool))


def _is_one_number(tensor: NDArray[np.generic]) -> bool:
    return tensor.size == 1


def _counts_up(tensor: NDArray[np.generic]) -> bool:
    return bool(np.array_equal(tensor.ravel(), np.arange(tensor.size)))


def _is_zero(tensor: NDArray[np.generic]) -> bool:
    return not tensor.any()


def _encoder_said(config: JsonObject, where: str) -> dict[str, object]:
    """What BERT and ALBERT have in common."""
    said = _said(config, where, heads="num_attention_heads", activation="hidden_act", epsilon="layer_norm_eps")
    return said | {"norm": "post", "causal": config.get("is_decoder") is True, "read": "all"}


def _embeddings(body: str) -> tuple[dict[str, StackedNames], dict[str, Check]]:
    """The tables of BERT and ALBERT, their LayerNorm, and what is not a weight there."""
    at = f"{body}embeddings."
    sources = {
        "token": StackedNames((at + "word_embeddings.weight",)),
        "position": StackedNames((at + "position_embeddings.weight",)),
        "type": StackedNames((at + "token_type_embeddings.weight",), optional=True),
        **layer_norm("embedding_gain", "embedding_bias", at + "LayerNorm"),
    }
    return sources, {at + "position_ids": _counts_up, at + "token_type_ids": _is_zero}


def _head_or_aside(tensors: Tensors, pooler: str) -> tuple[dict[str, StackedNames], tuple[str, ...]]:
    """The head on every token where there is one; else the pooler, another output, is left aside."""
    if "classifier.weight" in tensors:
        return linear("head", "classifier"), ()
    return {}, (f"{pooler}.weight", f"{pooler}.bias")


def _bert(tensors: Tensors, config: JsonObject, where: str) -> Naming:
    body = _prefix(tensors, "embeddings.word_embeddings.weight", ("", "bert."), where)
    blocks = counted_blocks(_numbers(tensors, re.escape(body) + r"encoder\.layer\."), where)
    sources, checks = _embeddings(body)
    for k in range(blocks):
        at = f"{body}encoder.layer.{k}."
        sources |= linear(f"{k}.qkv", *(f"{at}attention.self.{name}" for name in ("query", "key", "value")))
        sources |= linear(f"{k}.out", at + "attention.output.dense")
        sources |= linear(f"{k}.up", at + "intermediate.dense") | linear(f"{k}.down", at + "output.dense")
        sources |= layer_norm(f"{k}.gain1", f"{k}.bias1", at + "attention.output.LayerNorm")
        sources |= layer_norm(f"{k}.gain2", f"{k}.bias2", at + "output.LayerNorm")
    head, aside = _head_or_aside(tensors, f"{body}pooler.dense")
    said = _encoder_said(config, where)
    return Naming(
        "bert", with_biases(sources, None) | head, blocks, said, checks=checks, aside=aside, config_sizes=_BERT_SIZES
    )


def _albert(tensors: Tensors, config: JsonObject, where: str) -> Naming:
    body = _prefix(tensors, "embeddings.word_embeddings.weight", ("", "albert."), where)
    sources, checks = _embeddings(body)
    sources |= linear("map", f"{body}encoder.embedding_hidden_mapping_in")
    at = f"{body}encoder.albert_layer_groups.0.albert_layers.0."
    sources |= linear("0.qkv", *(f"{at}attention.{name}" for name in ("query", "key", "value")))
    sources |= linear("0.out", at + "attention.dense")
    sources |= linear("0.up", at + "ffn") | linear("0.down", at + "ffn_output")
    sources |= layer_norm("0.gain1", "0.bias1", at + "attention.LayerNorm")
    sources |= layer_norm("0.gain2", "0.bias2", at + "full_layer_layer_norm")
    head, aside = _head_or_aside(tensors, f"{body}pooler")
    said = _encoder_said(config, where) | _said(config, where, blocks="num_hidden_layers")
    own = _BERT_SIZES | {"embedding_size": "embedding"}
    sources = with_biases(sources, None) | head
    return Naming("albert", sources, 1, said, shared=True, checks=checks, aside=aside, config_sizes=own)


def _torch(tensors: Tensors, names: Mapping[str, str], where: str) -> Naming:
    """torch's TransformerEncoder or TransformerEncoderLayer, or MultiheadAttention, alone or with linear1 and linear2
    beside it, inside a module that has tables and perhaps a head."""
    first = min(name for name in tensors if _IN_PROJ.fullmatch(name))
    before, attention = _IN_PROJ.fullmatch(first).group(1, 2)  # type: ignore[union-attr]
    stacked = re.fullmatch(r"(.*?)layers\.\d{1,6}\.", before, re.ASCII)
    body = stacked[1] if stacked else before
    blocks = counted_blocks(_numbers(tensors, re.escape(body) + r"layers\."), where) if stacked else 1
    sources, norms = {"type": _NONE}, any(name.endswith(("norm1.weight", "norm2.weight")) for name in tensors)
    feeds = any(name.endswith(("linear1.weight", "linear2.weight", "norm2.weight")) for name in tensors)
    for k in range(blocks):
        at = f"{body}layers.{k}." if stacked else body
        sources |= {f"{k}.qkv": StackedNames((f"{at}{attention}.in_proj_weight",))}
        sources |= {f"{k}.qkv_bias": StackedNames((f"{at}{attention}.in_proj_bias",), optional=True)}
        sources |= linear(f"{k}.out", f"{at}{attention}.out_proj")
        if feeds:
            sources |= linear(f"{k}.up", at + "linear1") | linear(f"{k}.down", at + "linear2")
        else:
            sources |= dict.fromkeys((f"{k}.{name}" for name in ("up", "up_bias", "down", "down_bias")), _NONE)
        if norms:
            sources |= layer_norm(f"{k}.gain1", f"{k}.bias1", at + "norm1")
            second = layer_norm(f"{k}.gain2", f"{k}.bias2", at + "norm2")
            sources |= second if feeds else dict.fromkeys(second, _NONE)
    sources = with_biases(sources, tensors, ("qkv_bias", "out_bias"), ("up_bias", "down_bias", "bias1", "bias2"))
    if f"{body}norm.weight" in tensors and stacked:
        sources |= layer_norm("final_gain", "final_bias", body + "norm")
    for key in ("token", "position"):
        sources[key] = StackedNames((_found(tensors, key, names) or f"{key}.weight",))
    head = _found(tensors, "head", names)
    sources |= linear("head", head.removesuffix(".weight")) if head else {}
    said: dict[str, object] = {} if norms else {"norm": "none"}
    return Naming("torch", sources, blocks, said if feeds else said | {"activation": "relu"})


def _found(tensors: Tensors, key: str, names: Mapping[str, str]) -> str | None:
    """The name of a table or of the head: as given, else a usual one."""
    if key in names:
        return names[key]
    usual = (name + ending for name in _TORCH_NAMES[key] for ending in (".weight", ""))
    return next((name for name in usual if name in tensors), None)


def _own(tensors: Tensors, where: str) -> Naming:
    """The names of `architecture.shapes`."""
    blocks = counted_blocks(_numbers(tensors, ""), where)
    sources = {name: StackedNames((name,)) for name in ("token", "position")}
    sources["type"] = StackedNames(("type",), optional=True)
    keys = ["qkv", "out", "up", "down"]
    block = [name for key in keys for name in (key, f"{key}_bias")]
    block += ["gain1", "bias1", "gain2", "bias2"] if any(name.endswith(".gain1") for name in tensors) else []
    wanted = [f"{k}.{name}" for k in range(blocks) for name in block]
    for some in (("embedding_gain", "embedding_bias"), ("map", "map_bias"), ("final_gain", "final_bias")):
        wanted += some if some[0] in tensors else ()
    wanted += ["head"] if "head" in tensors else []
    wanted += ["head_bias"] if "head" in tensors or "head_bias" in tensors else []
    sources |= {name: StackedNames((name,), optional=name.endswith("_bias") and name != "head_bias") for name in wanted}
    sources = with_biases(sources, tensors, *((f".{key}_bias",) for key in keys))
    said: dict[str, object] = {} if any(name.endswith(".gain1") for name in tensors) else {"norm": "none"}
    return Naming("exactformer", sources, blocks, said)
