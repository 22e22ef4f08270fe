"""Prove a trained network: addition modulo 7, right on every input, with a certificate, and its hardmax limit.

Training needs PyTorch (pip install 'exactformer[train]'); the proof and its checking do not. All statements are about
real arithmetic, not about what a device returns.
"""

import tempfile
from fractions import Fraction
from pathlib import Path

import exactformer as ef
from exactformer.evaluate.hardmax_limit import hardmax_limit
from exactformer.training.network_training import small_architecture

domain = ef.Domain.sum_modulo(7)  # ids a, b, 7; class (a + b) mod 7
shape = small_architecture(domain, layers=1, dim=16, heads=2, norm="none", activation="relu")
run = ef.train_network(domain, shape, seed=1)
print(f"{run.network}: {run.epochs} epochs, accuracy in floats {run.approx_accuracy}")

decision = run.network.decide(domain)
print(decision)
low, high = decision.least_margin
print(f"the right class leads by at least {low:.4f} on every input")

with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "certificate.jsonl"
    decision.certify(path)
    print(ef.check(path).why)
    forged = path.read_text().replace('"mod":7', '"mod":6')
    path.write_text(forged)
    print(f"the same certificate about sums modulo 6: {ef.check(path).verdict}")

limit = hardmax_limit(run.network, domain)
for beta in (1, 2, 16, 256):
    row = limit.at(run.network, Fraction(beta))
    print(f"beta = {beta}: {row.decision.right} of {len(domain)} right, {row.as_hardmax} as with hardmax")
print(f"with hardmax {limit.hardmax.right} right; every beta >= {limit.largest_beta_0:g} decides as hardmax does")
