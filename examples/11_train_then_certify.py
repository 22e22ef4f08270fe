"""A network trained in floating point nearly fits; repaired, it fits exactly, and a run that is stuck is proved so."""

import numpy as np

import exactformer as ef

rng = np.random.default_rng(0)
sequences = [rng.normal(size=(int(rng.integers(3, 8)), 2)).round(3) for _ in range(15)]
targets = [np.tanh(2 * x.mean(axis=0)).round(2) for x in sequences]

# any training will do: here random units, and gradient descent on the last layer
means = np.array([x.mean(axis=0) for x in sequences])
U, b, W = rng.normal(size=(60, 2)), rng.normal(size=60) / 3, np.zeros((2, 60))
hidden = np.maximum(means @ U.T + b, 0)
for _ in range(4000):
    W -= 5e-3 * (hidden @ W.T - np.array(targets)).T @ hidden / len(sequences)
np.savez("network.npz", **{"block0.V": np.eye(2), "block1.U": U, "block1.b": b, "block1.W": W})

repaired = ef.repair("network.npz", sequences, targets=targets)
repaired.certify("exact.jsonl")
print(
    f"largest residual {float(repaired.residual):.2g}; {repaired.units_added} units added, squared norm "
    f"{float(repaired.norm2_before):.2f} -> {float(repaired.norm2_after):.2f}: {ef.check('exact.jsonl').verdict}"
)

found = ef.train(sequences, targets=targets, eps=["1/1000"], width=8, epochs=300, start="warm")
best = found.interpolant
print(f"smallest exact interpolant found: squared norm {float(best.norm2):.2f} ({best.method})")

eps = "1/1000"
mine = ef.regularised_loss("network.npz", sequences, targets=targets, eps=eps)
star = ef.regularised_loss(best.transformer, sequences, targets=targets, eps=eps)
bound = (mine.objective.low + star.objective.high) / 2
mine.certify("mine.jsonl", above=bound)
star.certify("star.jsonl", below=bound)
print(
    f"objective {float(mine.objective):.4f} of the first network, {float(star.objective):.4f} of the interpolant: "
    f"{ef.check('mine.jsonl').verdict}, {ef.check('star.jsonl').verdict}: the first is no global minimiser"
)
