"""Weights from PyTorch: state dicts, of which nothing but tensors is loaded, and modules with what they say."""

from __future__ import annotations

import io
import warnings
import zipfile
from collections.abc import Mapping

from exactformer.errors import Declined, InvalidInput, Malformed, MissingExtra
from exactformer.io.json_lines import WORK, JsonObject, PathLike, read_bytes, reading_file, unpacked_size
from exactformer.io.read_limits import verify_memory
from exactformer.io.untyped import Torch
from exactformer.model.tensor_names import Tensors

#: how files of state dicts end
STATE_DICTS = (".pt", ".pth", ".bin", ".ckpt")
#: where checkpoints keep their state dict
_INSIDE = ("model", "state_dict")


def read_state_dict(path: PathLike) -> Tensors:
    """The tensors of a state dict, alone or under `model` or `state_dict` of a checkpoint; no code in it is run."""
    torch = _torch()
    with reading_file(path):
        content = io.BytesIO(read_bytes(path))
        try:
            if zipfile.is_zipfile(content):
                verify_memory(WORK * unpacked_size(content), f"{path}: the tensors, and reading them,")
            content.seek(0)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                state = torch.load(content, map_location="cpu", weights_only=True)
        except Declined:
            raise
        except Exception as problem:  # torch raises whatever its unpickler meets
            raise Malformed(
                f"{path}: expected a state dict of tensors, got what torch does not load with weights_only=True "
                f"({type(problem).__name__}); nothing else is read from pickles"
            ) from problem
    inner = next((state[key] for key in _INSIDE if isinstance(state, Mapping) and _is_state(state.get(key))), state)
    if not _is_state(inner):
        raise Malformed(f"{path}: expected a state dict, names of tensors, got {type(inner).__name__}")
    return _arrays(inner, str(path))


def module_weights(
    module: object, tables: Mapping[str, object], where: str
) -> tuple[Tensors, JsonObject, dict[str, object]]:
    """The tensors of a module and of tables given beside it, its configuration, and what its layers say.

    A table is a tensor, or a module with a weight (Embedding, Linear).
    """
    torch = _torch()
    if not isinstance(module, torch.nn.Module):
        raise InvalidInput(f"{where}: expected a torch.nn.Module, got {type(module).__name__}")
    tensors = dict(_arrays(module.state_dict(), where))
    for key, table in tables.items():
        state = table.state_dict() if isinstance(table, torch.nn.Module) else {"weight": table}
        if key not in ("token", "position", "head") or not _is_state(state):
            raise InvalidInput(f"{where}: expected tables token, position or head with a weight, got {key!r:.40}")
        tensors |= _arrays({f"{key}.{name}": tensor for name, tensor in state.items()}, where)
    config: Torch = getattr(module, "config", None)
    told = {**config.to_dict(), "architectures": [type(module).__name__]} if hasattr(config, "to_dict") else {}
    return tensors, told, _said_by_layers(module, torch, where)


def _said_by_layers(module: Torch, torch: Torch, where: str) -> dict[str, object]:
    """Heads, norm, activation and epsilon, where layers of torch's encoders say them, all of them alike."""
    layers = [part for part in module.modules() if isinstance(part, torch.nn.TransformerEncoderLayer)]
    said = [
        {
            "heads": layer.self_attn.num_heads,
            "norm": "pre" if layer.norm_first else "post",
            "activation": _activation(layer.activation, torch),
            "epsilon": layer.norm1.eps,
        }
        for layer in layers
    ]
    if any(other != said[0] for other in said) or any(layer.norm2.eps != layer.norm1.eps for layer in layers):
        raise InvalidInput(f"{where}: expected layers of one kind, got some that differ in heads, norm or activation")
    if said:
        return said[0]
    heads = {part.num_heads for part in module.modules() if isinstance(part, torch.nn.MultiheadAttention)}
    epsilons = {part.eps for part in module.modules() if isinstance(part, torch.nn.LayerNorm)}
    return {key: found.pop() for key, found in (("heads", heads), ("epsilon", epsilons)) if len(found) == 1}


def verify_parts(module: object, where: str) -> None:
    """Raises InvalidInput, naming all of them, where parts of a module with torch's encoders do what no network here
    does: state dicts do not show a LayerNorm without gain, an RMSNorm has the tensors of one with, and so on.
    """
    torch = _torch()
    nn: Torch = torch.nn
    plain = (nn.Linear, nn.Dropout, nn.Identity, nn.ReLU, nn.GELU, nn.Sequential, nn.ModuleList)
    odd, epsilons = [], set()
    parts = module.named_modules() if isinstance(module, nn.Module) else ()
    for name, part in parts:
        if isinstance(part, nn.LayerNorm):
            epsilons.add(part.eps)
            why = "" if part.elementwise_affine else "without gain"
        elif isinstance(part, nn.MultiheadAttention):
            why = "with add_zero_attn" if part.add_zero_attn else ""
        elif isinstance(part, nn.Embedding):
            why = "with max_norm" if part.max_norm is not None else ""
        else:
            known = isinstance(part, plain) or any(True for _ in part.children()) or _is_table(part)
            why = "" if known else "of which nothing is known here"
        if part._forward_hooks or part._forward_pre_hooks:
            why = "with hooks"
        if why:
            odd.append(f"{name or where} ({type(part).__name__} {why})")
    if odd:
        raise InvalidInput(f"{where}: expected a network of known parts, got {', '.join(odd)}")
    if len(epsilons) > 1:
        listed = ", ".join(map(str, sorted(epsilons)))
        raise InvalidInput(f"{where}: expected one epsilon of all LayerNorms, got {listed}")


def _is_table(part: Torch) -> bool:
    """Whether a module without modules in it holds one table and nothing else, perhaps with an axis for the batch."""
    state = list(part.state_dict().values())
    return len(state) == 1 and state[0].dim() in (2, 3)


def _activation(function: object, torch: Torch) -> str | None:
    """The name of an activation of a layer; None where it is another one, which is then asked for."""
    if function in (torch.nn.functional.relu, torch.relu) or isinstance(function, torch.nn.ReLU):
        return "relu"
    if function is torch.nn.functional.gelu:
        return "gelu"
    if isinstance(function, torch.nn.GELU):
        return "gelu" if function.approximate == "none" else "gelu_tanh"
    return None


def _is_state(state: object) -> bool:
    """Whether these are tensors by name."""
    torch = _torch()
    return isinstance(state, Mapping) and bool(state) and all(isinstance(v, torch.Tensor) for v in state.values())


def _arrays(state: Mapping[object, Torch], where: str) -> Tensors:
    """The tensors as arrays, bfloat16 widened exactly to float32, all else as it is."""
    torch = _torch()
    found = {}
    for name, tensor in state.items():
        verify_memory(8 * WORK * tensor.numel(), f"{where}: {name}, and reading it,")  # it may repeat its storage
        plain = tensor.detach().cpu()
        if plain.is_sparse or plain.is_quantized or plain.is_complex():
            raise InvalidInput(f"{where}, {name}: expected a plain tensor of real numbers, got {plain.dtype}")
        found[str(name)] = (plain.to(torch.float32) if plain.dtype == torch.bfloat16 else plain).numpy()
    return found


def _torch() -> Torch:
    try:
        import torch
    except ImportError as problem:
        raise MissingExtra("PyTorch is not installed: pip install 'exactformer[train]'") from problem
    return torch
