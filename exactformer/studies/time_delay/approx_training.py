"""Training of a time-delayed transformer in floats: AdamW with a cosine rate, gradients by hand, no framework."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from exactformer.arithmetic.integers import Array
from exactformer.studies.time_delay.approx_rollout import NetworkModel, rollout_score, window_rows
from exactformer.studies.time_delay.network import ApproxFunctions, DelayNetwork

DelayWeights = dict[str, Array]
#: ridges of the last layer's least squares; the validation rollout chooses
RIDGES = (1e-12, 1e-10, 1e-8, 1e-6)


@dataclass(frozen=True)
class DelayRecipe:
    """How a network is trained: steps of AdamW, rate, batch, weight decay, clipping, noise on the inputs."""

    steps: int = 2500
    rate: float = 3e-3
    batch: int = 256
    decay: float = 1e-4
    clip: float = 1.0
    noise: float = 0.0
    every: int = 100
    frozen: tuple[str, ...] = ("A",)
    #: names whose rate is multiplied by a factor
    slow: Mapping[str, float] | None = None


def random_network(d: int, m: int, *, encoding: str, features: int, hidden: int, seed: int) -> DelayNetwork:
    """A network with random weights of sizes that keep activations near one."""
    rng = np.random.default_rng(seed)

    def normal(*shape: int, size: float) -> Array:
        return rng.normal(size=shape) * size

    p, h, block = features, hidden, encoding == "block"
    weights = {
        "E": normal(m, p, d, size=(m * d) ** -0.5) if block else normal(1, p, d, size=d**-0.5),
        "p": normal(m, p, size=0.1 if block else 0.3),
        "WQ": normal(p, p, size=p**-0.75), "WK": normal(p, p, size=p**-0.75),
        "WV": np.zeros((p, p)) if block else normal(p, p, size=p**-0.5),
        "L": normal(d, p, size=0.1 * p**-0.5), "W1": normal(h, p, size=p**-0.5), "b1": normal(h, size=0.5),
        "W2": normal(d, h, size=0.1 * h**-0.5), "b2": np.zeros(d), "A": np.zeros((m, d, d)),
    }  # fmt: skip
    return DelayNetwork(weights, encoding, "gelu", (0.0,) * d, (1.0,) * d)


def dmd_start(network: DelayNetwork, coefficients: Array, intercept: Array) -> DelayNetwork:
    """The network as a second head beside TD-DMD: equal to it before training, since L = W_2 = 0."""
    weights = dict(network.weights)
    weights |= {"A": coefficients, "b2": intercept, "L": weights["L"] * 0, "W2": weights["W2"] * 0}
    return network.with_weights(weights)


def flat_network(d: int, m: int, *, hidden: int, seed: int) -> DelayNetwork:
    """A multilayer perceptron on the whole window: uniform attention, E_j the j-th block of the window."""
    made = random_network(d, m, encoding="block", features=m * d, hidden=hidden, seed=seed)
    E = np.zeros((m, m * d, d))
    for j in range(m):
        E[j, j * d : (j + 1) * d] = np.eye(d)
    weights = {
        **made.weights,
        "E": E,
        "p": np.zeros((m, m * d)),
        "WQ": np.zeros((1, m * d)),
        "WK": np.zeros((1, m * d)),
    }
    return made.with_weights(weights)


#: what stays as it is in a perceptron
FLAT = ("A", "E", "p", "WQ", "WK", "WV")


def loss_and_gradient(network: DelayNetwork, inputs: Array, wanted: Array, unit: Array) -> tuple[float, DelayWeights]:
    """The mean of ((increment - wanted)/unit)^2 over a batch, and its gradient in every weight."""
    w, m = network.weights, network.window
    x = np.einsum("mpd,bmd->bmp", np.broadcast_to(w["E"], (m, *w["E"].shape[1:])), inputs) + w["p"]
    last = x[:, -1]
    query, keys = last @ w["WQ"].T, x @ w["WK"].T
    a = ApproxFunctions().softmax(np.einsum("br,bmr->bm", query, keys))
    mixed = np.einsum("bm,bmp->bp", a, x)
    u = m * mixed if network.encoding == "block" else last + mixed @ w["WV"].T
    y = u @ w["W1"].T + w["b1"]
    hidden, slope = _gelu(y)
    linear = np.einsum("mij,bmj->bi", w["A"], inputs)
    error = (linear + u @ w["L"].T + hidden @ w["W2"].T + w["b2"] - wanted) / unit
    out = 2 * error / unit / error.size
    g: DelayWeights = {"L": out.T @ u, "W2": out.T @ hidden, "b2": out.sum(axis=0)}
    g["A"] = np.einsum("bi,bmj->mij", out, inputs)
    dy = (out @ w["W2"]) * slope
    g |= {"W1": dy.T @ u, "b1": dy.sum(axis=0)}
    g |= _attention_gradient(network, inputs, (x, query, keys, a, mixed), out @ w["L"] + dy @ w["W1"])
    return float((error**2).mean()), g


def _attention_gradient(network: DelayNetwork, inputs: Array, kept: tuple[Array, ...], du: Array) -> DelayWeights:
    """The gradients of E, p, W_Q, W_K and W_V from that of u."""
    w, (x, query, keys, a, mixed) = network.weights, kept
    dx = np.zeros_like(x)
    if network.encoding == "block":
        dmixed, dV = network.window * du, np.zeros_like(w["WV"])
    else:
        dx[:, -1] += du
        dmixed, dV = du @ w["WV"], du.T @ mixed
    da = np.einsum("bp,bmp->bm", dmixed, x)
    dx += a[:, :, None] * dmixed[:, None, :]
    dl = a * (da - (a * da).sum(axis=1, keepdims=True))
    dquery, dkeys = np.einsum("bm,bmr->br", dl, keys), dl[:, :, None] * query[:, None, :]
    dx[:, -1] += dquery @ w["WQ"]
    dx += dkeys @ w["WK"]
    dE = np.einsum("bmp,bmd->mpd", dx, inputs)
    return {
        "WQ": dquery.T @ x[:, -1],
        "WK": np.einsum("bmr,bmp->rp", dkeys, x),
        "WV": dV,
        "E": dE if network.encoding == "block" else dE.sum(axis=0, keepdims=True),
        "p": dx.sum(axis=0),
    }


def _gelu(y: Array) -> tuple[Array, Array]:
    """gelu and its derivative."""
    from scipy.special import erf

    share = (1 + erf(y / np.sqrt(2))) / 2
    return y * share, share + y * np.exp(-(y**2) / 2) / np.sqrt(2 * np.pi)


def adamw(
    network: DelayNetwork,
    train: Array,
    validation: Array,
    recipe: DelayRecipe,
    *,
    unit: Array | None = None,
    seed: int = 0,
    progress: Callable[[int], None] = lambda done: None,
) -> DelayNetwork:
    """The network of the best one-step loss on the validation part, over the steps of AdamW on the train part."""
    rng = np.random.default_rng(seed)
    inputs, wanted = window_rows(train, network.window)
    checks = window_rows(validation, network.window)
    size = wanted.std(axis=0) + 1e-12 if unit is None else unit
    moments: dict[str, list[Array]] = {
        n: [a * 0.0, a * 0.0] for n, a in network.weights.items() if n not in recipe.frozen
    }
    best, least = network, loss_and_gradient(network, *checks, size)[0]
    for step in range(1, recipe.steps + 1):
        chosen = rng.integers(0, len(inputs), min(recipe.batch, len(inputs)))
        batch = inputs[chosen]
        if recipe.noise:
            batch = batch + recipe.noise * rng.normal(size=batch.shape)
        gradient = loss_and_gradient(network, batch, wanted[chosen], size)[1]
        network = network.with_weights(_step(network.weights, gradient, moments, step, recipe))
        if step % recipe.every == 0:
            progress(step)
            loss = loss_and_gradient(network, *checks, size)[0]
            best, least = (network, loss) if loss < least else (best, least)
    return best


def _step(
    weights: Mapping[str, Array],
    gradient: DelayWeights,
    moments: dict[str, list[Array]],
    step: int,
    recipe: DelayRecipe,
) -> DelayWeights:
    """One step of AdamW, the gradient clipped, the rate falling as a cosine."""
    norm = np.sqrt(sum(float((gradient[name] ** 2).sum()) for name in moments))
    scale = min(1.0, recipe.clip / max(float(norm), 1e-300))
    rate = recipe.rate * (1 + np.cos(np.pi * (step - 1) / recipe.steps)) / 2
    after = dict(weights)
    for name, pair in moments.items():
        g = gradient[name] * scale
        pair[0] = 0.9 * pair[0] + 0.1 * g
        pair[1] = 0.999 * pair[1] + 0.001 * g**2
        direction = (pair[0] / (1 - 0.9**step)) / (np.sqrt(pair[1] / (1 - 0.999**step)) + 1e-8)
        own = rate * (recipe.slow or {}).get(name, 1.0)
        after[name] = weights[name] * (1 - own * recipe.decay) - own * direction
    return after


def polished(network: DelayNetwork, train: Array, ridge: float) -> DelayNetwork:
    """The network with its last layer (L, W_2, b_2) by ridge least squares: the increment is linear in it."""
    inputs, wanted = window_rows(train, network.window)
    p, d = network.weights["p"].shape[1], network.dim
    seen = {"L": np.eye(p), "W2": np.zeros((p, len(network.weights["b1"]))), "b2": np.zeros(p)}
    probe = network.with_weights({**network.weights, **seen, "A": np.zeros((network.window, p, d))})
    u = probe.increment(inputs, ApproxFunctions())  # with L = I and nothing else, the increment is u itself
    hidden = ApproxFunctions().activation(u @ network.weights["W1"].T + network.weights["b1"], network.activation)
    rest = wanted - np.einsum("mij,bmj->bi", network.weights["A"], inputs)
    features = np.column_stack([u, hidden, np.ones(len(u))])
    size = np.maximum(np.sqrt((features**2).mean(axis=0)), 1e-12)
    U, S, Vt = np.linalg.svd(features / size, full_matrices=False)
    kept = 1e-13 * S[0] < S
    C = (Vt[kept].T * (S[kept] / (S[kept] ** 2 + ridge * S[0] ** 2))) @ (U[:, kept].T @ rest) / size[:, None]
    return network.with_weights({**network.weights, "L": C[:p].T, "W2": C[p:-1].T, "b2": C[-1]})


def chosen_by_rollout(candidates: Iterable[DelayNetwork], validation: Array) -> DelayNetwork:
    """The candidate that does best on the validation rollout."""
    return min(candidates, key=lambda network: rollout_score(NetworkModel(network), validation))


def train_delay_network(
    start: DelayNetwork,
    train: Array,
    validation: Array,
    recipe: DelayRecipe,
    *,
    unit: Array | None = None,
    seed: int = 0,
    progress: Callable[[int], None] = lambda done: None,
) -> DelayNetwork:
    """Trained, polished with every ridge, and chosen, the start among the candidates, by the validation rollout."""
    raw = adamw(start, train, validation, recipe, unit=unit, seed=seed, progress=progress)
    return chosen_by_rollout([start, raw, *(polished(raw, train, ridge) for ridge in RIDGES)], validation)


def with_units(network: DelayNetwork, mean: Array, scale: Array) -> DelayNetwork:
    """The network with the standardisation it was trained under."""
    return replace(network, mean=tuple(map(float, mean)), scale=tuple(map(float, scale)))
