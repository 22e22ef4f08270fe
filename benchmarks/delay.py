"""Time delay: windows proved, rollouts against TD-DMD, cost in the window, enclosures. Ratios measured in one run."""

from __future__ import annotations

import time
from collections.abc import Callable
from fractions import Fraction
from functools import partial

import numpy as np

from exactformer.arithmetic.integers import Array
from exactformer.studies.time_delay.approx_rollout import NetworkModel, measure
from exactformer.studies.time_delay.approx_training import random_network
from exactformer.studies.time_delay.approx_window import approx_window_network
from exactformer.studies.time_delay.enclosure import enclose
from exactformer.studies.time_delay.fit import SeriesParts, fit_parts
from exactformer.studies.time_delay.network import ApproxFunctions, DelayNetwork
from exactformer.studies.time_delay.positive_window import PositiveWindow, least_window, polynomial_of_tones
from exactformer.studies.time_delay.recurrence import least_order
from exactformer.studies.time_delay.series import Series
from exactformer.studies.time_delay.systems import PYTHAGOREAN, approx_lorenz, approx_two_tones, tones


def cpu(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def windows() -> None:
    found: list[PositiveWindow] = []
    polynomials = [polynomial_of_tones(c for c, _ in PYTHAGOREAN[:k]) for k in (1, 2, 3, 4)]
    spent = cpu(lambda: found.extend(map(least_window, polynomials)))
    print(f"least windows of 1 to 4 tones, all smaller ones refused: {[w.window for w in found]}, {spent:.1f} s CPU")
    print(f"order of 3 tones from 100 rows: {cpu(lambda: least_order(tones(3, 100))):.2f} s CPU")


def two_tones() -> None:
    parts = SeriesParts.of(Series.of(approx_two_tones()), 8)
    linear, start = (fit_parts(parts, 8, **kind) for kind in ({"model": "dmd"}, {"start": "dmd", "steps": 300}))
    ratio = start.measures.approx_one_step / linear.measures.approx_one_step
    print(f"two tones, one-step error of TD-TF started from TD-DMD over TD-DMD's: {ratio:.2f}")
    rows = tones(2, 600).floats()
    exact = fit_parts(SeriesParts.of(Series.of(rows), 4), 4, model="dmd")
    window = approx_window_network(least_window(polynomial_of_tones(c for c, _ in PYTHAGOREAN[:2])))
    found = measure(NetworkModel(window), rows[300:], 200)
    ratio = found.approx_one_step / (exact.measures.approx_one_step * rows[:360].std())
    print(f"rational tones, one-step error of frozen attention from the window over TD-DMD's: {ratio:.2f}")


def lorenz() -> None:
    rows = approx_lorenz(30_000)  # with 9,000 rows the train and the test part themselves are .12 apart in W1
    parts = SeriesParts.of(Series.of(rows), 8)
    linear = fit_parts(parts, 8, model="dmd").measures
    fits = [fit_parts(parts, 8, start="random", seed=seed) for seed in (0, 1)]
    for fitted in fits:
        own = fitted.measures
        gain = own.approx_valid_steps / linear.approx_valid_steps
        steps = f"{own.approx_valid_steps:.0f} against {linear.approx_valid_steps:.0f} of TD-DMD: {gain:.1f} times"
        print(f"Lorenz, seed {fitted.seed}: valid steps {steps}; W1 of the marginals {own.approx_w1:.3f}")
    start = [tuple(Fraction(float(x)) for x in row) for row in rows[7300:7308]]
    for bits in (64, 128):
        begun = time.process_time()
        boxes = enclose(fits[0].network, start, 200, bits=bits)
        spent = time.process_time() - begun
        print(f"Lorenz, 200 steps enclosed at {bits} bits: radius {float(boxes[-1].radius):.1e}, {spent:.1f} s CPU")


def repeat(network: DelayNetwork, batch: Array) -> None:
    for _ in range(20):
        network.increment(batch, ApproxFunctions())


def cost() -> None:
    times = {}
    for m in (256, 1024):
        network = random_network(3, m, encoding="additive", features=16, hidden=64, seed=0)
        batch = np.random.default_rng(0).normal(size=(8, m, 3))
        network.increment(batch, ApproxFunctions())
        times[m] = min(cpu(partial(repeat, network, batch)) for _ in range(5))
    print(f"a prediction with a window of 1024 over one with 256: {times[1024] / times[256]:.1f} times")


if __name__ == "__main__":
    windows()
    two_tones()
    lorenz()
    cost()
