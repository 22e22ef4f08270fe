"""State dicts and modules of torch become networks that compute what the modules compute in float64."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

import exactformer as ef

torch = pytest.importorskip("torch")
nn = torch.nn
D, H, M, V, N, K = 8, 2, 12, 7, 5, 3


class Classifier(nn.Module):
    """Tables, torch's encoder, a head."""

    def __init__(self, *, norm_first: bool = True, activation: object = "gelu", final: bool = True) -> None:
        super().__init__()
        torch.manual_seed(3)
        layer = nn.TransformerEncoderLayer(
            D, H, M, 0.1, activation, batch_first=True, norm_first=norm_first, layer_norm_eps=1e-4
        )
        self.tok, self.pos = nn.Embedding(V, D), nn.Embedding(N, D)
        self.encoder = nn.TransformerEncoder(
            layer, 2, nn.LayerNorm(D, 1e-4) if final else None, enable_nested_tensor=False
        )
        self.head = nn.Linear(D, K)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        x = self.tok(ids) + self.pos(torch.arange(len(ids)))
        return self.head(self.encoder(x[None], mask=None)[0])


class Plain(nn.Module):
    """One attention and one feed-forward layer, both residual, no LayerNorm."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(4)
        self.tok, self.pos = nn.Embedding(V, D), nn.Embedding(N, D)
        self.attn = nn.MultiheadAttention(D, H, batch_first=True)
        self.linear1, self.linear2, self.head = nn.Linear(D, M), nn.Linear(M, D), nn.Linear(D, K)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        x = (self.tok(ids) + self.pos(torch.arange(len(ids))))[None]
        x = x + self.attn(x, x, x, need_weights=False)[0]
        return self.head(x + self.linear2(torch.relu(self.linear1(x))))[0]


@pytest.fixture(autouse=True)
def _by_definition():
    """Torch's fast path takes GELU("tanh") for the form with erf."""
    torch.backends.mha.set_fastpath_enabled(False)
    yield
    torch.backends.mha.set_fastpath_enabled(True)


def agrees(net: ef.Network, module: nn.Module) -> None:
    ids = [1, 6, 0, 3]
    with torch.no_grad():
        expected = module.eval().double()(torch.tensor(ids)).numpy()
    for at in range(len(ids)):
        assert [float(c) for c in net(ids, at=at).centre] == pytest.approx(list(expected[at]), abs=1e-9)


@pytest.mark.parametrize("norm_first", [True, False])
@pytest.mark.parametrize("activation", ["relu", torch.relu, "gelu", nn.GELU("tanh")])
def test_a_module_says_heads_norm_activation_and_epsilon(norm_first: bool, activation: object) -> None:
    module = Classifier(norm_first=norm_first, activation=activation, final=norm_first)
    net = ef.Network.from_torch(module, causal=False, read="last")
    shape = net.architecture
    assert (shape.heads, shape.norm, str(shape.epsilon)) == (H, "pre" if norm_first else "post", "1/10000")
    assert shape.activation == {torch.relu: "relu"}.get(
        activation, activation if isinstance(activation, str) else "gelu_tanh"
    )
    agrees(net, module)


def test_what_a_module_leaves_open_is_asked_for() -> None:
    with pytest.raises(ef.MissingOption, match=r"causal.*read"):
        ef.Network.from_torch(Classifier())
    with pytest.raises(ef.MissingOption, match="activation"):
        ef.Network.from_torch(Classifier(activation=torch.tanh), causal=False, read="last")
    with pytest.raises(ef.InvalidInput, match=r"expected a torch.nn.Module, got dict"):
        ef.Network.from_torch({})
    with pytest.raises(ef.InvalidInput, match="got MultiheadAttention alone"):
        ef.Network.from_torch(nn.MultiheadAttention(D, H), causal=False, read="last")
    with pytest.raises(ef.InvalidInput, match=r"missing: position.weight, token.weight"):
        ef.Network.from_torch(Classifier().encoder, causal=False, read="last")


def test_what_a_module_says_is_not_contradicted() -> None:
    given = {"causal": False, "read": "last"}
    for key, other in (("heads", 4), ("norm", "post"), ("activation", "relu"), ("epsilon", 1e-5)):
        with pytest.raises(ef.InvalidInput, match=f"{key}: the module says"):
            ef.Network.from_torch(Classifier(), **given, **{key: other})
    ef.Network.from_torch(Classifier(), heads=H, epsilon="1/10000", **given)


def hooked() -> Classifier:
    module = Classifier()
    module.tok.register_forward_hook(lambda part, ids, found: 2 * found)
    return module


def test_tables_may_stand_beside_an_encoder() -> None:
    module = Classifier()
    tables = {"token": module.tok, "position": module.pos.weight, "head": module.head}
    net = ef.Network.from_torch(module.encoder, tables=tables, causal=False, read="last")
    assert net.digest == ef.Network.from_torch(module, causal=False, read="last").digest
    with pytest.raises(ef.InvalidInput, match="got 'words'"):
        ef.Network.from_torch(module.encoder, tables={"words": module.tok}, causal=False, read="last")


def test_attention_without_an_encoder_layer() -> None:
    module = Plain()
    net = ef.Network.from_torch(module, activation="relu", causal=False, read="last")
    assert (net.architecture.norm, net.architecture.heads) == ("none", H)
    agrees(net, module)


class AttentionOnly(nn.Module):
    """Two residual attentions after LayerNorm, nothing else."""

    def __init__(self, *, norm: bool) -> None:
        super().__init__()
        torch.manual_seed(5)
        self.tok, self.pos, self.head = nn.Embedding(V, D), nn.Embedding(N, D), nn.Linear(D, K)
        parts = [nn.ModuleDict({"attn": nn.MultiheadAttention(D, H, batch_first=True)}) for _ in range(2)]
        for part in parts if norm else []:
            part["norm1"] = nn.LayerNorm(D, 1e-3)
        self.layers = nn.ModuleList(parts)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        x = (self.tok(ids) + self.pos(torch.arange(len(ids))))[None]
        for part in self.layers:
            y = part["norm1"](x) if "norm1" in part else x
            x = x + part["attn"](y, y, y, need_weights=False)[0]
        return self.head(x)[0]


@pytest.mark.parametrize("norm", [False, True])
def test_blocks_may_be_attention_alone(norm: bool) -> None:
    module = AttentionOnly(norm=norm)
    given = {"norm": "pre"} if norm else {}
    net = ef.Network.from_torch(module, causal=False, read="last", **given)
    if norm:
        with pytest.raises(ef.MissingOption, match=r"give: norm \(pre, post, none\)$"):
            ef.Network.from_torch(module, causal=False, read="last")
        with pytest.raises(ef.InvalidInput, match="attention alone, got post"):
            ef.Network.from_torch(module, causal=False, read="last", norm="post")
    agrees(net, module)


def _with(part: str, value: object) -> Classifier:
    module = Classifier()
    owner, _, name = part.rpartition(".")
    setattr(module.get_submodule(owner) if owner else module, name, value)
    return module


@pytest.mark.parametrize(
    ("module", "named"),
    [
        (lambda: _with("encoder.norm", nn.LayerNorm(D, 1e-3)), "one epsilon of all LayerNorms, got 0.0001, 0.001"),
        (lambda: _with("encoder.norm", nn.LayerNorm(D, 1e-4, elementwise_affine=False)), "LayerNorm without gain"),
        (lambda: _with("encoder.norm", nn.RMSNorm(D)), r"encoder\.norm \(RMSNorm"),
        (hooked, r"tok \(Embedding with hooks"),
        (lambda: _with("tanh", nn.Tanh()), r"tanh \(Tanh"),
        (lambda: _with("tok", nn.Embedding(V, D, max_norm=1.0)), r"tok \(Embedding with max_norm"),
        (
            lambda: _with("encoder.layers.1.self_attn", nn.MultiheadAttention(D, H, add_zero_attn=True)),
            r"encoder\.layers\.1\.self_attn \(MultiheadAttention with add_zero_attn",
        ),
    ],
)
def test_parts_that_a_state_dict_does_not_show_are_refused(module: object, named: str) -> None:
    with pytest.raises(ef.InvalidInput, match=named):
        ef.Network.from_torch(module(), causal=False, read="last")
    plain = Classifier()
    tables = {"token": nn.Embedding(V, D, max_norm=1.0), "position": plain.pos, "head": plain.head}
    with pytest.raises(ef.InvalidInput, match="max_norm"):
        ef.Network.from_torch(plain.encoder, tables=tables, causal=False, read="last")


def test_state_dicts(tmp_path: Path) -> None:
    module = Classifier()
    given = {"heads": H, "norm": "pre", "activation": "gelu", "epsilon": 1e-4, "causal": False, "read": "last"}
    digest = ef.Network.from_torch(module, causal=False, read="last").digest
    torch.save(module.state_dict(), tmp_path / "weights.pt")
    torch.save({"model": module.state_dict(), "step": 3}, tmp_path / "checkpoint.ckpt")
    folder = tmp_path / "folder"
    folder.mkdir()
    torch.save(module.state_dict(), folder / "pytorch_model.bin")
    np.savez(tmp_path / "weights.npz", **{n: t.numpy() for n, t in module.state_dict().items()})
    for path in ("weights.pt", "checkpoint.ckpt", "folder", "weights.npz"):
        assert ef.Network.load(tmp_path / path, **given).digest == digest
    torch.save({n: t.to(torch.bfloat16) for n, t in module.state_dict().items()}, tmp_path / "half.pt")
    half = ef.Network.load(tmp_path / "half.pt", **given)
    assert np.array_equal(half.tensors["token"], module.tok.weight.detach().to(torch.bfloat16).float().numpy())


class Stranger:
    """Something that a pickle could run."""

    def __reduce__(self) -> tuple:
        return Path.touch, (Path("touched"),)


def test_one_bias_that_is_lost_is_missed(tmp_path: Path) -> None:
    kept = Classifier().state_dict()
    options = {"heads": H, "norm": "pre", "activation": "gelu", "epsilon": "1e-4", "causal": False, "read": "last"}
    for lost in ("encoder.layers.1.norm2.bias", "encoder.layers.0.self_attn.in_proj_bias"):
        np.savez(tmp_path / "w.npz", **{name: t.numpy() for name, t in kept.items() if name != lost})
        with pytest.raises(ef.InvalidInput, match=f"missing: {lost}$"):
            ef.Network.load(tmp_path / "w.npz", **options)
    without = ("self_attn.in_proj_bias", "out_proj.bias")  # MultiheadAttention(bias=False)
    np.savez(tmp_path / "w.npz", **{name: t.numpy() for name, t in kept.items() if not name.endswith(without)})
    assert not ef.Network.load(tmp_path / "w.npz", **options).tensors["0.qkv_bias"].any()


def test_files_that_hold_code_or_other_things(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("pickle.pt").write_bytes(pickle.dumps(Stranger()))
    torch.save(Stranger(), "stranger.pt")
    torch.save(Classifier(), "module.pt")
    torch.save({"model": 3}, "number.pt")
    torch.save([torch.ones(2)], "list.pt")
    Path("empty.bin").write_bytes(b"")
    for name in ("pickle.pt", "stranger.pt", "module.pt", "number.pt", "list.pt", "empty.bin"):
        with pytest.raises(ef.Malformed, match=name):
            ef.Network.load(name)
    assert not Path("touched").exists()
    torch.save({"tok.weight": torch.ones(2, 2, dtype=torch.float64), "pos.weight": torch.ones(2, 2)}, "odd.pt")
    with pytest.raises(ef.InvalidInput, match=r"expected GPT-2, BERT"):
        ef.Network.load("odd.pt")


def test_weights_of_double_precision_are_refused_by_name() -> None:
    with pytest.raises(ef.InvalidInput, match=r"expected float32 or narrower numbers, got float64"):
        ef.Network.from_torch(Classifier().double(), causal=False, read="last")
