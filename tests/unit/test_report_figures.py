"""The numbers in pictures are those of their source: curves, marks, labels and captions, read back from the figures."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.colors import to_hex

import exactformer as ef
from exactformer.atlas.papers import papers
from exactformer.model.attention import SelfAttention
from exactformer.model.feed_forward import FeedForward
from exactformer.model.matrix import Dense
from exactformer.model.transformer import Block
from exactformer.report.accounts import account_of
from exactformer.report.animation import glide
from exactformer.report.block_plot import draw_blocks
from exactformer.report.citations import bibtex_for
from exactformer.report.delay_plot import plot_rollout, plot_study
from exactformer.report.dial_plot import dial_of, draw_dial
from exactformer.report.film import Film, film_of
from exactformer.report.float_plot import Departure, departure_of, draw_departure
from exactformer.report.gallery import configurations
from exactformer.report.meanfield_page import write_meanfield
from exactformer.report.meanfield_plot import _phase, draw_distances, draw_laws, draw_tokens
from exactformer.report.page import write_report
from exactformer.report.passage import Choice, passage_of
from exactformer.report.review_page import write_review_page
from exactformer.report.review_plane import plane_stage
from exactformer.report.scenes import _strip, orbit_stage
from exactformer.report.temperature_plot import departures_of, draw_temperatures
from exactformer.report.training_plot import plot_training
from exactformer.report.weights import block_weights
from exactformer.studies.mean_field.approx_phases import Phases
from exactformer.studies.mean_field.approx_run import Run, Simulation
from exactformer.studies.mean_field.families import sample_system
from exactformer.studies.mean_field.laplace import laplace_bound
from exactformer.studies.sentiment import load
from exactformer.studies.time_delay.enclosure import Enclosure
from exactformer.studies.time_delay.positive_window import least_window, polynomial_of_tones
from exactformer.studies.time_delay.recurrence import Recurrence, least_order
from exactformer.studies.time_delay.series import Series
from exactformer.studies.time_delay.systems import tones

TEXT = "A wonderful, touching film: I loved it. The ending is boring, boring, and the plot a waste of time."
EMERGING = configurations()["emerging leader"]


def curves(ax: Any) -> dict[str, tuple[list[float], list[float]]]:
    """The named lines of a panel."""
    return {line.get_label(): (list(line.get_xdata()), list(line.get_ydata())) for line in ax.lines}


def points(ax: Any) -> dict[str, list[tuple[float, float]]]:
    return {name: list(zip(*xy, strict=True)) for name, xy in curves(ax).items()}


# ---------------------------------------------------------------- orbits


def test_a_film_glides_and_follows_by_the_layer_it_leaves() -> None:
    film = film_of(ef.simulate(EMERGING, layers=2))
    slow = glide(film, 4)
    assert slow.layers == [0] * 4 + [1] * 4 + [2]
    assert slow.follows == [film.follows[k] for k in slow.layers]
    assert np.allclose(slow.points[5], 0.75 * film.points[1] + 0.25 * film.points[2])
    assert np.array_equal(slow.points[-1], film.points[2])
    assert (slow.leads_from, slow.words) == (film.leads_from, film.words)


def test_pages_show_the_first_the_last_and_two_frames_between() -> None:
    strip = _strip(orbit_stage(ef.simulate(EMERGING, layers=9)))
    assert [k for k in range(10) if f"<figcaption>layer {k}</figcaption>" in strip] == [0, 3, 6, 9]


def test_every_layer_with_a_wrong_set_is_marked() -> None:
    film = Film([0, 1, 2], [np.eye(2)] * 3, [[(0,), (1,)]] * 3, {0: 0, 1: 0})
    ax = draw_departure(Departure(film, film, [0.0, 0.25, 0.5], [0, 1, 2])).axes[2]
    assert curves(ax)["wrong follower sets"] == ([1, 2], [0.25, 0.5])
    assert curves(ax)["largest error"] == ([0, 1, 2], [1e-17, 0.25, 0.5])


def test_floats_depart_from_exact_as_the_definition_says() -> None:
    tokens = ef.Tokens([["7/3", "1/3"], ["-1/3", "7/3"], ["2", "8/3"], ["-3/2", "-2"]], alpha="1/2")
    orbit = ef.simulate(tokens, layers=6)
    found = departure_of(orbit)
    for k in range(7):
        exact, floats = orbit.follows(k), found.floats.follows[k]
        assert found.wrong[k] == sum(tuple(a) != tuple(b) for a, b in zip(exact, floats, strict=True))
        away = found.floats.points[k] - orbit.tokens(k).floats()
        assert found.distances[k] >= np.abs(away).max() * (1 - 1e-9)
    assert found.wrong[0]


# ---------------------------------------------------------------- constructions


def test_a_point_of_several_labels_is_drawn_in_all_their_colours() -> None:
    data = ef.Dataset.of([[[0], [1]], [[1], [2]], [[1], [5]]], labels=["a", "b", "b"])
    built = ef.construct(data)
    shown = passage_of(built.transformer, built.data, built.targets.state)
    colours: dict[float, set[str]] = {}
    for drawn in draw_blocks(shown).axes[0].collections:
        for x, _ in drawn.get_offsets():
            colours.setdefault(float(x), set()).add(to_hex(drawn.get_facecolor()[0]))
    own = [{colour.lower() for colour in shown.class_style(label).colours} for label in "ab"]
    assert colours == {0: own[0], 1: own[0] | own[1], 2: own[1], 5: own[1]}


def test_colours_of_labels_do_not_depend_on_what_is_chosen() -> None:
    data = ef.Dataset.of([[[k]] for k in range(6)], labels=list("abcabc"))
    built = ef.construct(data)
    styles = {}
    for classes in (None, ["c"], ["b", "c"]):
        shown = passage_of(built.transformer, data, built.targets.state, choice=Choice(classes=classes))
        for group in shown.groups:
            styles.setdefault(group, set()).add(shown.class_style(group))
    assert {len(found) for found in styles.values()} == {1}
    assert len(set.union(*styles.values())) == 3


def test_names_of_the_users_file_are_in_the_picture_of_its_certificate(tmp_path: Path) -> None:
    from exactformer.report.certificate_plot import plot_certificate

    ef.construct([[[0]], [[1]]], targets=[[[0]], [[2]]]).certify(tmp_path / "c.jsonl")
    figure = plot_certificate(tmp_path / "c.jsonl", None, tmp_path / "p.png", names=["left", "right"])
    words = [text.get_text() for text in figure.legends[0].get_texts()]
    assert words[:2] == ["sequence left", "sequence right"]


def test_the_dial_stands_at_its_reports() -> None:
    from exactformer.conjectures.named_families import sample

    reports = dial_of(sample("random-classes", n=8, d=2, seed=1))
    left, right = draw_dial(reports).axes
    numbers, looped = [r.parameters for r in reports], [r.looped_parameters for r in reports]
    groups, bits = [r.compact.groups for r in reports if r.compact is not None], [r.weight_bits for r in reports]
    for ax, across in ((left, groups), (right, bits)):
        assert curves(ax)["numbers"] == (across, numbers)
        assert curves(ax)["equal blocks once"] == (across, looped)
    assert curves(right)[f"information, {reports[0].information_bits} bits"][0] == [reports[0].information_bits] * 2
    at = {text.get_text(): text.xy for text in right.texts}
    for chosen in (max(groups), min(groups)):
        k = groups.index(chosen)
        assert at[f"G = {chosen}"] == (bits[k], numbers[k])
    assert len(reports) > 2


@pytest.mark.parametrize("far", [0, 1])
def test_distances_from_hardmax_at_three_temperatures(far: int) -> None:
    data = ef.Dataset.of([[[0, 1], [2, 3]], [[0, 1]], [[5, 7], [0, 1]]], labels=list("aba"))
    targets = {"a": [1000 * (far == 0), 1000 * (far == 1)], "b": [0, 0]}
    built = ef.construct(data, method="leaders", attention="softmax", label_targets=targets)
    departures, states = departures_of(built)
    left, right = draw_temperatures(built).axes
    floats = np.array([state.floats() for state in states])
    moved = [float(np.ptp(floats[1:, :, k])) for k in range(2)]
    axis = moved.index(max(moved))
    assert axis == far
    assert left.get_ylabel() == f"coordinate {axis} of the tokens"
    drawn = [list(line.get_ydata()) for line in left.lines]
    assert drawn == floats[:, :, axis].T.tolist()
    low = built.softmax.temperatures.low
    assert [found.beta for found in departures] == [low, low * Fraction(3, 2), low * 3]
    for found in departures:
        heights = curves(right)[f"beta = {found.beta}"][1]
        assert [h for h, d in zip(heights, found.distances, strict=True) if d] == [d for d in found.distances if d]
        assert found.distances[0] == found.distances[-1] == 0
    assert departures[0].distances > departures[2].distances


def test_training_ends_where_its_figures_say() -> None:
    from exactformer.conjectures.named_families import sample

    training = ef.train(sample("random-classes", n=4, d=1, seed=1), eps=["1e-1", "1e-2"], epochs=20)
    left, right = plot_training(training).axes
    for run in training.runs:
        steps, losses = curves(left)[f"eps = {float(run.eps):g}, {run.start}"]
        assert steps == [step + 1 for _, step, _, _ in run.history]
        assert losses == [max(loss, 1e-18) for _, _, loss, _ in run.history]
    drawn = points(right)
    for start in {run.start for run in training.runs}:
        own = [run for run in training.runs if run.start == start]
        ends = [(float(run.eps), float(run.figures.loss)) for run in own]
        assert drawn[f"loss E, {start} start"] == ends
        ends = [(float(run.eps), float(run.figures.objective)) for run in own]
        assert drawn[f"objective, {start} start"] == ends
    norm2 = float(training.interpolant.norm2)
    assert drawn[f"guarantee, interpolant = {norm2:.4g} eps"] == [(x, x * norm2) for x in (0.01, 0.1)]


def test_every_weight_stands_under_its_name() -> None:
    entries = {name: Dense([[k, 0], [0, k]]) for k, name in enumerate("UWVQK", start=2)}
    layer = FeedForward(7, entries["U"], [8, 9], entries["W"])
    attention = SelfAttention(10, entries["V"], entries["Q"], entries["K"])
    shown = block_weights(Block(layer, attention))
    parts = dict(part.split("</b> = ") for part in shown.replace("</p>", "").split("<p><b>")[1:])
    assert list(parts) == ["eta", "U", "b", "W", "rho", "V", "Q", "K"]
    for k, name in enumerate("UWVQK", start=2):
        assert f"({k}, 0)" in parts[name]
        assert f"(0, {k})" in parts[name]
    assert [">7<" in parts["eta"], ">(8, 9)<" in parts["b"], ">10<" in parts["rho"]] == [True] * 3


# ---------------------------------------------------------------- series


@pytest.mark.parametrize("dim", [1, 3])
def test_rollouts_of_a_study_over_the_truth(dim: int) -> None:
    truth = np.random.default_rng(1).uniform(-1, 1, (30, dim))
    rolled = {"first": truth / 2, "second": truth / 3}
    axes = plot_study("a study", truth, rolled).axes
    for (name, rows), left, right in zip(rolled.items(), axes[::2], axes[1::2], strict=True):
        assert curves(left)["truth"][1] == truth[:, 0].tolist()
        assert curves(left)[name][1] == rows[:, 0].tolist()
        assert left.get_ylabel() == name
        for line, shown in zip(right.lines, (truth, rows), strict=True):
            wanted = (shown[:, 0], shown[:, 1]) if dim > 1 else (shown[:-8, 0], shown[8:, 0])
            assert [line.get_xdata().tolist(), line.get_ydata().tolist()] == [x.tolist() for x in wanted]
    assert axes[-1].get_xlabel() == ("z1 against z2" if dim > 1 else "z1 against z1, 8 steps later")


def test_a_rollout_goes_on_where_the_series_ends() -> None:
    series = Series.of([[k, -k] for k in range(5)], names=["up", "down"])
    floats = np.array([[5.0, -5.5], [6.0, -6.5]])
    boxes = [Enclosure((Fraction(4), Fraction(-7)), (Fraction(6), Fraction(-4))) for _ in floats]
    axes = plot_rollout(series, floats, boxes).axes
    for i, ax in enumerate(axes[:2]):
        assert curves(ax)["series"] == ([-4, -3, -2, -1, 0], [float((1, -1)[i] * k) for k in range(5)])
        assert curves(ax)["float64 rollout"] == ([1, 2], floats[:, i].tolist())
        heights = ax.collections[0].get_paths()[0].vertices[:, 1]
        assert (heights.min(), heights.max()) == ((4, 6), (-7, -4))[i]
        assert ax.get_ylabel() == ("up", "down")[i]
    assert [list(line.get_ydata()) for line in axes[2].lines] == [[1.5, 1.5]]


def test_accounts_of_recurrences_and_windows(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    for series, unique in ((tones(2, 30), True), (Series.of([[2**k, 2**k] for k in range(9)]), False)):
        found = least_order(series)
        assert isinstance(found, Recurrence)
        found.certify(path)
        account = account_of(path)
        facts = dict(account.facts)
        assert account.title == f"A linear recurrence of order {found.order}"
        assert facts["unique"] is unique is (found.minor is not None)
        assert (facts["rows"], facts["dimension"]) == (len(series), series.dim)
        listed = [row[1] for row in account.tables[0][2]]
        assert listed == ["; ".join(", ".join(map(str, row)) for row in A) for A in found.coefficients]
    for cosine in (Fraction(4, 5), Fraction(-3, 5)):
        window = least_window(polynomial_of_tones([cosine]))
        window.certify(path)
        facts = dict(account_of(path).facts)
        assert int(facts["sign of the others"]) == window.sign == -1
        assert facts["coefficient of the newest"] == str(window.newest)


# ---------------------------------------------------------------- the mean field


def simulation(*, exact: bool = True) -> Simulation:
    t = np.linspace(0, 20, 201)
    runs = []
    for beta in (10.0, 100.0):
        w2 = np.exp(-t / 2) + 0.01 / beta * np.exp(t / 2)
        lower = w2 if exact else np.where(t > 3, w2 / 2, w2)
        shown = np.stack([np.cos(t), np.sin(t)], axis=1)[:, None]
        runs.append(Run(beta, t, lower, w2, shown))
    return Simulation(tuple(runs), Run(None, t, np.exp(-t), np.exp(-t), runs[0].shown), None)


def test_w2_of_every_temperature_with_its_least_value_and_escape() -> None:
    found = simulation()
    lines = draw_distances(found).axes[0].lines
    for k, run in enumerate(found.runs):
        curve, least, gone = lines[3 * k : 3 * k + 3]
        assert list(curve.get_ydata()) == run.w2.tolist()
        assert curve.get_label() == rf"$\beta$ = {run.beta:g}"
        assert (least.get_xdata()[0], least.get_ydata()[0]) == (run.phases.t_min, run.phases.w2_min)
        assert gone.get_xdata()[0] == run.phases.escape
    assert list(lines[6].get_ydata()) == found.cold.w2.tolist()


def test_laws_and_moments_are_those_of_the_runs() -> None:
    found = simulation()
    left, right = draw_laws(found).axes
    slopes = found.slopes()
    logs = [float(np.log(run.beta)) for run in found.runs]
    assert curves(left)[f"time of the least W2: slope {slopes['t_min']:.3f}"] == (
        logs,
        [run.phases.t_min for run in found.runs],
    )
    assert curves(left)[f"escape: slope {slopes['escape']:.3f}"][1] == [run.phases.escape for run in found.runs]
    assert curves(right)[f"log of the least W2: slope {slopes['w2_min']:.3f}"][0] == logs
    figure, last = draw_tokens(found), found.runs[-1]
    least = last.times[last.w2.argmin()]
    titles = [ax.get_title() for ax in figure.axes]
    assert titles == ["start, t = 0.0", f"metastable, t = {least:.1f}", "terminal, t = 20.0"]
    phases = Phases(0.1, 5.0, (4.0, 7.0), 12.0, settled=True)
    names = [_phase(phases, t) for t in (0.0, 4.0, 7.0, 9.0, 12.0)]
    assert names == ["concentration", "metastable", "metastable", "between", "terminal"]


@pytest.mark.parametrize("exact", [True, False])
def test_the_page_says_whether_w2_is_exact(exact: bool, tmp_path: Path) -> None:
    found, system = simulation(exact=exact), sample_system("random", dim=4, seed=1)
    assert write_meanfield(found, system, tmp_path) == ["w2.png", "laws.png", "index.html"]
    page = (tmp_path / "index.html").read_text()
    for run in found.runs:
        bound = "exact" if exact else f"at least {run.lower.min():.4g}"
        cells = [f"{run.beta:g}", f"{run.phases.w2_min:.4g}", bound, f"{run.phases.t_min:.2f}"]
        assert "".join(f"<td>{cell}</td>" for cell in cells) in page


# ---------------------------------------------------------------- pages


def test_every_claim_cites_the_paper_whose_row_it_certifies() -> None:
    for paper in papers():
        for command in (command for row in paper.statements for command in row.commands):
            for fact in (fact for fact in command.facts if fact.path == "claim"):
                assert f"arXiv:{paper.number}" in bibtex_for(fact.value)
    assert {claim: bibtex_for(claim).count("arXiv:") for claim in ("laplace", "limit", "loss", "recurrence")} == {
        "laplace": 1,
        "limit": 1,
        "loss": 1,
        "recurrence": 1,
    }


def test_a_page_cites_the_papers_of_its_claim_alone(tmp_path: Path) -> None:
    square = ef.Tokens([[1, 0], [0, 1], [-1, 0], [0, -1]])
    laplace_bound(square, [1, 0], 10).certify(tmp_path / "c.jsonl")
    assert write_report(tmp_path / "c.jsonl", tmp_path / "r.html").verdict == "accepted"
    page = (tmp_path / "r.html").read_text()
    assert [number for number in ("2407.01602", "2502.02270", "2605.10931") if number in page] == ["2605.10931"]


@pytest.mark.parametrize(("ours", "plain", "words"), [(0.75, 0.875, "costs 12.5"), (0.875, 0.75, "adds 12.5")])
def test_the_page_of_a_review_says_what_attention_costs(ours: float, plain: float, words: str, tmp_path: Path) -> None:
    model = replace(load(), about={"test": ours, "without_attention": {"test": plain}})
    write_review_page(model.explain(TEXT), tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text()
    assert f"{100 * ours:.1f} % of the reviews rightly, and {100 * plain:.1f} % when" in page
    assert f"attention {words} points" in page


def test_words_are_stars_from_the_layer_on_at_which_they_lead() -> None:
    found = load().explain(TEXT)
    scene = plane_stage(found).scene
    for layer, styles in enumerate(scene.styles):
        stars = [i for i, style in enumerate(styles) if style.shape == "star"]
        assert stars == [i for i, w in enumerate(found.words) if w.leads_from is not None and w.leads_from <= layer]
    starts = {word.leads_from for word in found.words}
    assert 0 in starts
    mean = scene.points[-1][:-1]
    shares = np.array([word.count for word in found.words]) / sum(word.count for word in found.words)
    assert np.allclose(scene.points[-1][-1], shares @ mean)
