"""Weights under the names of GPT-2, nanoGPT, BERT, ALBERT and torch's encoders, against torch in float64."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import exactformer as ef

torch = pytest.importorskip("torch")
F = torch.nn.functional

D, H, M, V, N = 8, 2, 12, 7, 5
Arrays = dict[str, np.ndarray]


class Drawn:
    """Random float32 tensors, remembered by name."""

    def __init__(self, seed: int = 0) -> None:
        self.rng, self.tensors = np.random.default_rng(seed), {}

    def __call__(self, name: str, *shape: int) -> None:
        self.tensors[name] = (self.rng.standard_normal(shape) * 0.5).astype(np.float32)

    def linear(self, name: str, rows: int, columns: int, *, bias: int = 0) -> None:
        self(f"{name}.weight", rows, columns)
        if bias:
            self(f"{name}.bias", bias)

    def norm(self, name: str, width: int, *, bias: bool = True) -> None:
        self(f"{name}.weight", width)
        if bias:
            self(f"{name}.bias", width)


def safetensors(path: Path, tensors: Arrays) -> Path:
    kinds = {"float32": "F32", "float16": "F16", "float64": "F64", "int64": "I64", "bool": "BOOL"}
    header, data = {}, b""
    for name, t in tensors.items():
        raw = np.ascontiguousarray(t).tobytes()
        header[name] = {
            "dtype": kinds[str(t.dtype)],
            "shape": list(t.shape),
            "data_offsets": [len(data), len(data) + len(raw)],
        }
        data += raw
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)
    return path


def gpt2(prefix: str = "", *, conv: bool = True, bias: bool = True, head: bool = False, blocks: int = 2) -> Arrays:
    w = Drawn()
    w(f"{prefix}wte.weight", V, D)
    w(f"{prefix}wpe.weight", N, D)
    for k in range(blocks):
        for name, out, into in (
            ("attn.c_attn", 3 * D, D),
            ("attn.c_proj", D, D),
            ("mlp.c_fc", M, D),
            ("mlp.c_proj", D, M),
        ):
            w.linear(f"{prefix}h.{k}.{name}", *((into, out) if conv else (out, into)), bias=out * bias)
        w.norm(f"{prefix}h.{k}.ln_1", D, bias=bias)
        w.norm(f"{prefix}h.{k}.ln_2", D, bias=bias)
    w.norm(f"{prefix}ln_f", D, bias=bias)
    if head:
        w("lm_head.weight", V, D)
    return w.tensors


def attention(q: Any, k: Any, v: Any, *, causal: bool) -> Any:
    q, k, v = (x.reshape(len(x), H, D // H).transpose(0, 1) for x in (q, k, v))
    return F.scaled_dot_product_attention(q, k, v, is_causal=causal).transpose(0, 1).reshape(-1, D)


def double(tensors: Arrays) -> Any:
    found = {name: torch.tensor(t).double() for name, t in tensors.items()}
    return lambda name: found.get(name)


def gpt2_truth(tensors: Arrays, ids: list[int], prefix: str, *, conv: bool, tanh: bool) -> Any:
    t = double(tensors)

    def linear(x: Any, name: str) -> Any:
        W = t(f"{prefix}{name}.weight")
        return F.linear(x, W.T if conv else W, t(f"{prefix}{name}.bias"))

    def norm(x: Any, name: str) -> Any:
        return F.layer_norm(x, (D,), t(f"{prefix}{name}.weight"), t(f"{prefix}{name}.bias"), 1e-5)

    x = t(f"{prefix}wte.weight")[ids] + t(f"{prefix}wpe.weight")[: len(ids)]
    k = 0
    while f"{prefix}h.{k}.ln_1.weight" in tensors:
        q = linear(norm(x, f"h.{k}.ln_1"), f"h.{k}.attn.c_attn").split(D, dim=1)
        x = x + linear(attention(*q, causal=True), f"h.{k}.attn.c_proj")
        u = F.gelu(linear(norm(x, f"h.{k}.ln_2"), f"h.{k}.mlp.c_fc"), approximate="tanh" if tanh else "none")
        x, k = x + linear(u, f"h.{k}.mlp.c_proj"), k + 1
    x = norm(x, "ln_f")
    return F.linear(x, t("lm_head.weight") if "lm_head.weight" in tensors else t(f"{prefix}wte.weight"))


def close(net: ef.Network, ids: list[int], truth: Any, types: list[int] | None = None) -> None:
    for at in range(len(ids)):
        seen = net(ids, types, at=at)
        assert seen.radius < 1e-6
        np.testing.assert_allclose([float(c) for c in seen.centre], truth[at].numpy(), atol=1e-6, rtol=0)


@pytest.mark.parametrize(
    ("prefix", "conv", "bias", "head"),
    [
        ("", True, True, False),
        ("transformer.", True, True, True),
        ("transformer.", False, False, True),
        ("", False, True, False),
    ],
)
def test_gpt2_and_nanogpt(prefix: str, conv: bool, bias: bool, head: bool, tmp_path: Path) -> None:
    tensors = gpt2(prefix, conv=conv, bias=bias, head=head)
    path = safetensors(tmp_path / "w.safetensors", tensors)
    activation = "gelu_tanh" if conv else "gelu"
    net = ef.Network.load(path, heads=H, activation=activation, epsilon=1e-5)
    shape = net.architecture
    assert (shape.causal, shape.norm, net.read, shape.head) == (True, "pre", "last", "free" if head else "tied")
    assert shape.epsilon == ef.Architecture.__dataclass_fields__["epsilon"].default
    ids = [3, 0, 6, 3]
    close(net, ids, gpt2_truth(tensors, ids, prefix, conv=conv, tanh=conv))


def test_a_folder_says_everything(tmp_path: Path) -> None:
    tensors = gpt2()
    mask = np.tri(N, dtype=bool).reshape(1, 1, N, N)
    buffers = {f"h.{k}.attn.bias": mask for k in range(2)}
    safetensors(tmp_path / "model.safetensors", tensors | buffers)
    config: dict[str, Any] = {
        "model_type": "gpt2",
        "n_head": H,
        "activation_function": "gelu_new",
        "n_layer": 2,
        "n_embd": D,
    }
    config |= {"layer_norm_epsilon": 1e-5, "n_inner": None, "scale_attn_weights": True}
    (tmp_path / "config.json").write_text(json.dumps(config))
    net = ef.Network.load(tmp_path)
    close(net, [1, 2], gpt2_truth(tensors, [1, 2], "", conv=True, tanh=True))
    wrong = {
        "n_layer": 3, "n_embd": 4, "n_inner": 5, "scale_attn_by_inverse_layer_idx": True, "model_type": "gpt_neo",
        "activation_function": "silu", "n_head": 3, "layer_norm_epsilon": 0, "tie_word_embeddings": False,
    }  # fmt: skip
    for key, value in wrong.items():
        (tmp_path / "config.json").write_text(json.dumps(config | {key: value}))
        with pytest.raises(ef.InvalidInput):
            ef.Network.load(tmp_path)
    (tmp_path / "config.json").write_text(json.dumps(config))
    safetensors(tmp_path / "model.safetensors", tensors | buffers | {"h.0.attn.bias": ~mask})
    with pytest.raises(ef.InvalidInput, match=r"h\.0\.attn\.bias"):
        ef.Network.load(tmp_path)


@pytest.mark.parametrize(("head", "read"), [("score", "last"), ("classifier", "all"), ("lm_head", "last")])
def test_heads_of_gpt2(head: str, read: str, tmp_path: Path) -> None:
    tensors, ids = gpt2("transformer."), [3, 0, 6]
    weight = np.eye(4, D, dtype=np.float32)
    path = safetensors(tmp_path / "w.safetensors", tensors | {f"{head}.weight": weight})
    net = ef.Network.load(path, heads=H, activation="gelu_tanh", epsilon=1e-5)
    assert (net.read, net.architecture.head, net.architecture.classes) == (read, "free", 4)
    truth = gpt2_truth(tensors | {"lm_head.weight": weight}, ids, "transformer.", conv=True, tanh=True)
    close(net, ids, truth)


def test_the_body_of_gpt2_has_no_head(tmp_path: Path) -> None:
    safetensors(tmp_path / "model.safetensors", gpt2())
    config = {"n_head": H, "activation_function": "gelu_new", "layer_norm_epsilon": 1e-5}
    for name, head in (("GPT2Model", "none"), ("GPT2LMHeadModel", "tied")):
        (tmp_path / "config.json").write_text(json.dumps(config | {"architectures": [name]}))
        assert ef.Network.load(tmp_path).architecture.head == head


def encoder(prefix: str, *, albert: bool, head: bool) -> Arrays:
    w, E = Drawn(1), 4 if albert else D
    for name, rows in (("word", V), ("position", N), ("token_type", 2)):
        w(f"{prefix}embeddings.{name}_embeddings.weight", rows, E)
    w.norm(f"{prefix}embeddings.LayerNorm", E)
    if albert:
        w.linear(f"{prefix}encoder.embedding_hidden_mapping_in", D, E, bias=D)
    for k in range(1 if albert else 2):
        at, names = layer_names(prefix, k, albert=albert)
        for name, (rows, columns) in zip(names[:6], [(D, D)] * 4 + [(M, D), (D, M)], strict=True):
            w.linear(at + name, rows, columns, bias=rows)
        for name in names[6:]:
            w.norm(at + name, D)
    if head:
        w.linear("classifier", 3, D, bias=3)
    return w.tensors


def layer_names(prefix: str, k: int, *, albert: bool) -> tuple[str, list[str]]:
    if albert:
        kinds = "attention.query attention.key attention.value attention.dense ffn ffn_output attention.LayerNorm"
        return f"{prefix}encoder.albert_layer_groups.0.albert_layers.0.", [*kinds.split(), "full_layer_layer_norm"]
    kinds = "attention.self.query attention.self.key attention.self.value attention.output.dense intermediate.dense"
    return f"{prefix}encoder.layer.{k}.", [
        *kinds.split(),
        "output.dense",
        "attention.output.LayerNorm",
        "output.LayerNorm",
    ]


def encoder_truth(tensors: Arrays, ids: list[int], types: list[int], prefix: str, *, albert: bool) -> Any:
    t = double(tensors)

    def linear(x: Any, name: str) -> Any:
        return F.linear(x, t(f"{name}.weight"), t(f"{name}.bias"))

    def norm(x: Any, name: str) -> Any:
        return F.layer_norm(x, x.shape[-1:], t(f"{name}.weight"), t(f"{name}.bias"), 1e-12)

    at = f"{prefix}embeddings."
    x = t(at + "word_embeddings.weight")[ids] + t(at + "position_embeddings.weight")[: len(ids)]
    x = norm(x + t(at + "token_type_embeddings.weight")[types], at + "LayerNorm")
    x = linear(x, f"{prefix}encoder.embedding_hidden_mapping_in") if albert else x
    for k in range(2):
        at, (q, key, v, out, up, down, first, second) = layer_names(prefix, k, albert=albert)
        mixed = attention(linear(x, at + q), linear(x, at + key), linear(x, at + v), causal=False)
        x = norm(x + linear(mixed, at + out), at + first)
        x = norm(x + linear(F.gelu(linear(x, at + up)), at + down), at + second)
    return linear(x, "classifier") if "classifier.weight" in tensors else x


@pytest.mark.parametrize("albert", [False, True])
@pytest.mark.parametrize("head", [False, True])
def test_bert_and_albert(albert: bool, head: bool, tmp_path: Path) -> None:
    prefix = ("albert." if albert else "bert.") if head else ""
    tensors = encoder(prefix, albert=albert, head=head)
    buffers = {f"{prefix}embeddings.position_ids": np.arange(N).reshape(1, N)}
    if not head:
        pooler = "pooler" if albert else "pooler.dense"
        buffers |= {f"{pooler}.weight": np.eye(D, dtype=np.float32), f"{pooler}.bias": np.zeros(D, np.float32)}
    safetensors(tmp_path / "model.safetensors", tensors | buffers)
    config = {"num_attention_heads": H, "hidden_act": "gelu", "layer_norm_eps": 1e-12, "num_hidden_layers": 2}
    (tmp_path / "config.json").write_text(json.dumps(config))
    net = ef.Network.load(tmp_path)
    shape = net.architecture
    assert (shape.norm, shape.embedding_norm, shape.causal, net.read) == ("post", True, False, "all")
    assert (shape.head, shape.shared) == ("free" if head else "none", albert)
    close(net, [1, 6, 6], encoder_truth(tensors, [1, 6, 6], [0, 1, 0], prefix, albert=albert), [0, 1, 0])


@pytest.mark.parametrize(
    ("norm", "final", "single"), [("pre", True, False), ("post", False, False), ("post", False, True)]
)
def test_torch_encoders(norm: str, final: bool, single: bool, tmp_path: Path) -> None:
    torch.manual_seed(3)
    layer = torch.nn.TransformerEncoderLayer(D, H, M, 0.0, "relu", batch_first=True, norm_first=norm == "pre")
    stack = layer if single else torch.nn.TransformerEncoder(
        layer, 2, torch.nn.LayerNorm(D) if final else None, enable_nested_tensor=False
    )  # fmt: skip
    parts = {"embedding": torch.nn.Embedding(V, D), "positions": torch.nn.Embedding(N, D), "encoder": stack}
    module = torch.nn.ModuleDict(parts | {"fc": torch.nn.Linear(D, 4)})
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.copy_(torch.randn(parameter.shape) * 0.5)
    np.savez(tmp_path / "w.npz", **{name: t.numpy() for name, t in module.state_dict().items()})
    options = {"heads": H, "norm": norm, "activation": "relu", "epsilon": "1e-5", "read": "last"}
    ids = [2, 5, 1]
    module = module.double().eval()
    for causal in (False, True):
        net = ef.Network.load(tmp_path / "w.npz", causal=causal, **options)
        mask = torch.nn.Transformer.generate_square_subsequent_mask(3, dtype=torch.float64) if causal else None
        with torch.no_grad():
            x = module["embedding"](torch.tensor(ids)) + module["positions"](torch.arange(3))
            truth = module["fc"](module["encoder"](x[None], mask))[0]
        close(net, ids, truth)


def test_names_of_tables_may_be_given(tmp_path: Path) -> None:
    torch.manual_seed(1)
    layer = torch.nn.TransformerEncoderLayer(D, H, M)
    tensors = {f"enc.{name}": t.numpy() for name, t in layer.state_dict().items()}
    tensors |= {"my.words": np.ones((V, D), np.float32), "my.places": np.ones((N, D), np.float32)}
    path = safetensors(tmp_path / "w.safetensors", tensors)
    options = {"heads": H, "norm": "post", "activation": "relu", "epsilon": "1e-5", "read": "all", "causal": False}
    with pytest.raises(
        ef.InvalidInput, match=r"missing: position\.weight, token\.weight; unknown: my\.places, my\.words; .*PART=NAME"
    ):
        ef.Network.load(path, **options)
    names = {"token": "my.words", "position": "my.places"}
    net = ef.Network.load(path, names=names, **options)
    assert net.architecture.head == "none"
    for shape in ((1, N, D), (N, 1, D)):  # with an axis for the batch
        path = safetensors(path, tensors | {"my.places": tensors["my.places"].reshape(shape)})
        assert ef.Network.load(path, names=names, **options).digest == net.digest


def test_own_names_come_back(tmp_path: Path) -> None:
    net = ef.Network.load(safetensors(tmp_path / "w.safetensors", gpt2()), heads=H, activation="relu", epsilon=1e-5)
    path = safetensors(tmp_path / "own.safetensors", dict(net.tensors))
    given = {"heads": H, "activation": "relu", "epsilon": 1e-5, "norm": "pre", "causal": True, "read": "last"}
    again = ef.Network.load(path, **given)
    assert (again.digest, again.architecture) == (net.digest, net.architecture)


def test_what_nothing_says_is_asked_for_at_once(tmp_path: Path) -> None:
    path = safetensors(tmp_path / "w.safetensors", gpt2())
    with pytest.raises(ef.MissingOption, match=r"heads .*activation .*epsilon") as seen:
        ef.Network.load(path)
    assert "norm" not in str(seen.value)
    with pytest.raises(ef.MissingOption, match="blocks"):
        ef.Network.load(safetensors(tmp_path / "a.safetensors", encoder("", albert=True, head=False)))


def test_bad_weights_are_refused_with_their_names(tmp_path: Path) -> None:
    good = gpt2()
    given = {"heads": H, "activation": "gelu", "epsilon": 1e-5}
    without = {name: t for name, t in good.items() if name not in ("h.0.ln_1.weight", "h.1.mlp.c_fc.weight")}
    name = "h.1.attn.c_proj.weight"
    nan = good[name].copy()
    nan[0, 1] = np.nan
    cases = {
        "missing: h.0.ln_1.weight, h.1.mlp.c_fc.weight; unknown: rotary, x": without | {"x": nan, "rotary": nan},
        f"{name}: expected the shape (8, 8)": good | {name: good[name][:4]},
        f"{name}: expected float32": good | {name: good[name].astype(float)},
        f"{name}[0, 1]: expected a finite": good | {name: nan},
        "expected at most 1000 blocks": good | {"h.99999.ln_1.weight": nan},
        "expected a matrix": good | {"wpe.weight": nan[0]},
        "expected GPT-2, BERT": {"a": nan},
    }
    for said, tensors in cases.items():
        with pytest.raises(ef.InvalidInput) as seen:
            ef.Network.load(safetensors(tmp_path / "w.safetensors", tensors), **given)
        assert said in str(seen.value)
    path = safetensors(tmp_path / "w.safetensors", good)
    for odd in (
        {"heads": 3},
        {"norm": "none"},
        {"epsilon": "x"},
        {"epsilon": "1e-999999999"},
        {"epsilon": "1/0"},
        {"epsilon": float("nan")},
        {"epsilon": 0},
        {"blocks": 3},
        {"read": "some"},
        {"depth": 1},
    ):
        with pytest.raises(ef.InvalidInput):
            ef.Network.load(path, **{**given, **odd})
    with pytest.raises(ef.InvalidInput, match="cannot read"):
        ef.Network.load(tmp_path)


@pytest.mark.parametrize(
    ("tensors", "lost"),
    [
        (gpt2(), "h.1.attn.c_proj.bias"),
        (gpt2("transformer.", conv=False), "transformer.ln_f.bias"),
        (encoder("", albert=False, head=False), "encoder.layer.1.attention.self.key.bias"),
        (encoder("", albert=True, head=False), "encoder.embedding_hidden_mapping_in.bias"),
    ],
)
def test_one_bias_that_is_lost_is_missed(tensors: Arrays, lost: str, tmp_path: Path) -> None:
    path = safetensors(tmp_path / "w.safetensors", {n: t for n, t in tensors.items() if n != lost})
    options = {"heads": H, "activation": "gelu", "epsilon": 1e-5}
    with pytest.raises(ef.InvalidInput, match=f"missing: {lost}$"):
        ef.Network.load(path, **options, **({"blocks": 2} if "mapping" in lost else {}))
