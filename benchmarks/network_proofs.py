"""A trained network proved on its whole domain: training, decision, certificate, both checkers, the hardmax limit.

    python benchmarks/network_proofs.py [p]      addition modulo p, 113 unless given

CPU seconds of this run, on one core. The decision is set beside torch in float64 on the same batches of inputs.
"""

from __future__ import annotations

import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import exactformer as ef
from exactformer.evaluate.domain_decision import CHUNK, decide_domain
from exactformer.evaluate.hardmax_limit import hardmax_limit
from exactformer.training.network_training import small_architecture, train_network

ROOT = Path(__file__).resolve().parents[1]


def timed(action: Callable[[], Any]) -> tuple[Any, float]:
    """What it returns, and its CPU seconds."""
    start = time.process_time()
    return action(), time.process_time() - start


def best(action: Callable[[], Any], repeats: int = 5) -> float:
    """The least CPU seconds of several runs."""
    return min(timed(action)[1] for _ in range(repeats))


def torch_outputs(network: ef.Network, ids: Any) -> Callable[[], Any]:
    """The logits of all inputs in float64, by torch, in the batches that the decision takes."""
    import torch

    torch.set_num_threads(1)
    t = {name: torch.tensor(np.asarray(tensor, np.float64)) for name, tensor in network.tensors.items()}
    shape, rows = network.architecture, torch.tensor(ids)

    def outputs(part: Any) -> Any:
        x = t["token"][part] + t["position"][: part.shape[1]]
        qkv = (x @ t["0.qkv"].T + t["0.qkv_bias"]).reshape(*part.shape, 3, shape.heads, shape.head_dim)
        q, k, v = qkv.permute(2, 0, 3, 1, 4)
        mixed = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=shape.causal)
        x = x + mixed.transpose(1, 2).flatten(2) @ t["0.out"].T + t["0.out_bias"]
        x = x + torch.relu(x @ t["0.up"].T + t["0.up_bias"]) @ t["0.down"].T + t["0.down_bias"]
        return x[:, -1] @ t["head"].T + t["head_bias"]

    return lambda: [outputs(part) for part in rows.split(CHUNK)]


def checked(command: list[str], path: Path) -> str:
    """The verdict of a checker on a certificate, and its CPU seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run([*command, str(path)], cwd=ROOT, capture_output=True, text=True, check=False)
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    return f"{done.stdout.partition(':')[0]} in {seconds:.1f} s"


def main() -> None:
    p = int(sys.argv[1]) if len(sys.argv) > 1 else 113
    domain = ef.Domain.sum_modulo(p)
    shape = small_architecture(domain, layers=1, dim=64, heads=4, norm="none", activation="relu")
    run, seconds = timed(lambda: train_network(domain, shape))
    print(f"a + b mod {p}, 1 block, d = 64, ReLU, {run.network.parameters} weights")
    print(f"  trained in {seconds:.1f} s, {run.epochs} epochs, accuracy in floats {run.approx_accuracy:.4f}")
    decision = decide_domain(run.network, domain)
    proved = best(lambda: decide_domain(run.network, domain))
    plain = best(torch_outputs(run.network, domain.parts[0].ids))
    low = decision.least_margin[0] if decision.least_margin else float("nan")
    print(f"  {decision.right} of {decision.inputs} inputs proved right, least lead {low:.3f}")
    print(f"  proof {proved:.2f} s, torch float64 {plain:.2f} s, ratio {proved / plain:.1f}")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "certificate.jsonl"
        _, seconds = timed(lambda: decision.certify(path))
        print(f"  certificate written in {seconds:.2f} s, {path.stat().st_size / 1000:.0f} kB")
        print(f"  Python checker: {checked([sys.executable, '-m', 'proofs_check'], path)}")
        node = shutil.which("node")
        script = str(ROOT / "proofs_check" / "js" / "check.js")
        print(f"  JavaScript checker: {checked([node, script], path) if node else 'node is not installed'}")
    limit, seconds = timed(lambda: hardmax_limit(run.network, domain))
    found = limit.json()
    print(
        f"  hardmax limit in {seconds:.1f} s: {found['right']} right, beta_0 median {found['beta_0']['median']}, ",
        end="",
    )
    print(f"largest {found['beta_0']['largest']}, inputs with equal scores {found['inputs_with_equal_scores']}")


if __name__ == "__main__":
    main()
