"""Pages and their accounts: claims, verdicts, tables, weights, votes, the mean field; read back from the HTML."""

from __future__ import annotations

import base64
import hashlib
import re
from fractions import Fraction
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.colors import to_hex

import exactformer as ef
from exactformer.certificates.opened import Certificate
from exactformer.dynamics.stages_to_certificate import certify_in_stages
from exactformer.errors import InvalidInput
from exactformer.model.attention import SelfAttention
from exactformer.model.feed_forward import FeedForward
from exactformer.model.matrix import Dense, Outer, Scalar, Zero
from exactformer.model.transformer import Block
from exactformer.report.accounts import account_of
from exactformer.report.certificate_plot import plot_certificate
from exactformer.report.citations import PAPERS, bibtex_for
from exactformer.report.gallery import configurations
from exactformer.report.mean_field_account import polynomial_text
from exactformer.report.meanfield_page import write_meanfield
from exactformer.report.meanfield_plot import VIEW, draw_distances, draw_laplace, draw_laws, draw_tokens
from exactformer.report.page import Section, content_policy, is_certificate, section_of, write_page, write_report
from exactformer.report.palette import COLOURS
from exactformer.report.plot import refuted_title
from exactformer.report.review_page import colour_class, write_review_page
from exactformer.report.review_plane import MEAN, decision_line, plane_stage
from exactformer.report.stages_account import number_of, stages_words
from exactformer.report.weights import block_weights
from exactformer.studies.mean_field import approx_laplace
from exactformer.studies.mean_field.approx_laplace import approx_laplace_errors, four_measures
from exactformer.studies.mean_field.approx_run import Run, Simulation
from exactformer.studies.mean_field.families import sample_system
from exactformer.studies.sentiment import load

EMERGING = configurations()["emerging leader"]
TEXT = "A wonderful, touching film: I loved it. The ending is boring, boring, and the plot a waste of time."


def rows_of(page: str, name: str) -> list[list[str]]:
    """The rows of a named table of a page, without markup."""
    found = re.search(rf'data-table="{name}".*?</table>', page, re.DOTALL)
    assert found is not None
    rows = re.findall(r"<tr.*?</tr>", found[0], re.DOTALL)
    cells = [re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row, re.DOTALL) for row in rows]
    return [[unescape(re.sub(r"<[^>]*>", "", cell)) for cell in row] for row in cells]


# ---------------------------------------------------------------- limits in stages


def test_changes_of_a_limit_in_stages_are_named_by_their_layers(tmp_path: Path) -> None:
    e = Fraction(1, 10)
    tokens = ef.Tokens([[1, 1], [-1, 1], [1 - 2 * e, 1 + e], [2 * e - 1, 1 + e], [0, "1/2"]], alpha=1)
    found = ef.limit(tokens)
    certify_in_stages(found, tmp_path / "c.jsonl")
    opened = Certificate.open(tmp_path / "c.jsonl")
    account = account_of(tmp_path / "c.jsonl")
    first = opened.header["layer"]
    changes = [k for k in ef.simulate(tokens, layers=40).graph_changes if k > first]
    assert changes
    listed = ", ".join(map(str, changes))
    assert f"After layer {first} the follower sets change at the layers {listed} only." in account.words
    assert f"From layer {changes[-1]} on the follower sets never change." in account.words
    assert account.graph_layer == changes[-1] == dict(account.facts)["proved from layer"]
    assert {row[5] for row in account.tables[0][2]} == {"in stages"}
    assert [tuple(row[2]) for row in account.tables[0][2]] == [tuple(point) for point in found.points]


def test_words_and_numbers_of_stages() -> None:
    assert stages_words({"layer": 3}, [{"time": 0}]) == "The follower sets never change again."
    said = stages_words({"layer": 3}, [{"time": 0}, {"time": 2}, {"time": 9}])
    assert said == "After layer 3 the follower sets change at the layers 5, 12 only."
    assert number_of([["2", ["1/2", 1], ["1/3", 2]], ["-1/3"]]) == Fraction(1, 9) - Fraction(1, 3)
    assert number_of([]) == 0


# ---------------------------------------------------------------- pages of certificates


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("pages") / "my limit.jsonl"
    ef.limit(EMERGING).certify(path)
    return path


def test_a_page_has_claim_verdict_tables_graph_and_file(certificate: Path, tmp_path: Path) -> None:
    verdict = write_report(certificate, tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text()
    account = account_of(certificate)
    assert f"<title>{account.title}</title>" in page
    assert f"<p>The claim: {account.words}</p>" in page
    assert f'<div class="verdict accepted"><b>accepted</b>: {verdict.why}.' in unescape(page)
    assert "<code>proofs-check 'my limit.jsonl'</code>" in unescape(page)
    assert "The data file was compared" not in page
    assert f"<h2>Who follows whom at layer {account.graph_layer}</h2>" in page
    assert "<h2>Layer by layer</h2>" in page
    facts = dict(row for row in rows_of(page, "facts") if row)
    assert (facts["tokens"], facts["alpha"], facts["proved from layer"]) == ("8", "1/2", str(account.graph_layer))
    limits = rows_of(page, "limits")
    assert limits[0] == account.tables[0][1]
    assert [row[3] for row in limits[1:]] == [row[3] for row in account.tables[0][2]]
    assert base64.b64encode(certificate.read_bytes()).decode() in page
    drawn, defined = set(re.findall(r'href="#([a-z]+-[^"]*)"', page)), set(re.findall(r'<g id="([^"]*)"', page))
    assert drawn <= defined


def test_only_the_pages_own_style_and_script_have_any_effect(certificate: Path, tmp_path: Path) -> None:
    write_report(certificate, tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text()
    (style,), scripts = (
        re.findall(r"<style>(.*?)</style>", page, re.DOTALL),
        re.findall(r"<script>(.*?)</script>", page, re.DOTALL),
    )
    policy = unescape(re.findall(r'Content-Security-Policy" content="(.*?)"', page)[0])
    assert policy == content_policy(style, scripts[0])
    for text, source in ((style, "style-src"), (scripts[0], "script-src")):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{source} 'sha256-{digest}';" in policy
    assert policy.startswith("default-src 'none';")


def test_a_refused_certificate_is_not_called_proved(certificate: Path, tmp_path: Path) -> None:
    text = certificate.read_text()
    broken = {"rejected": text.replace('"-1/12"', '"-1/13"'), "malformed": text[: len(text) // 2]}
    for verdict, content in broken.items():
        (tmp_path / "c.jsonl").write_text(content)
        found = write_report(tmp_path / "c.jsonl", tmp_path / "r.html")
        page = (tmp_path / "r.html").read_text()
        if found.verdict == verdict == "malformed":
            assert "<title>Not proved: A file that is no certificate</title>" in page
        assert "<title>Not proved: " in page
        assert "<h1>Not proved: " in page
        assert f'<div class="verdict {found.verdict}"><b>{found.verdict}</b>' in page
        assert f" at {found.where}: " in unescape(page)


def test_a_page_of_several_sections_is_proved_if_all_are(certificate: Path, tmp_path: Path) -> None:
    good = section_of(certificate)
    assert (good.files, good.account.title) == ([certificate], account_of(certificate).title)
    (tmp_path / "c.jsonl").write_text(certificate.read_text()[:300])
    bad = section_of(tmp_path / "c.jsonl")
    for sections, title in (([good, good], "Mine"), ([good, bad], "Not proved: Mine")):
        write_page(sections, tmp_path / "r.html", title="Mine", words="Some words.")
        page = (tmp_path / "r.html").read_text()
        assert f"<title>{title}</title>" in page
        assert f"<h1>{title}</h1><p>Some words.</p>" in page
        assert page.count("<section>") == 2
        assert page.count("arXiv") >= 5
    dot = b"a picture"
    (tmp_path / "dot.png").write_bytes(dot)
    shown = Section(good.account, good.verdict, 0.125, good.files, [(tmp_path / "dot.png", "A dot")])
    write_page([shown], tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text()
    assert f'<img class="shown" alt="A dot" src="data:image/png;base64,{base64.b64encode(dot).decode()}"' in page
    assert "(0.12 s)" in page


def test_names_and_files_of_the_users_data_are_on_the_page(tmp_path: Path) -> None:
    (tmp_path / "d.csv").write_text("sequence,label,x1\nfirst,a,0\nfirst,a,1\nsecond,b,1\n")
    ef.construct(ef.Dataset.read(tmp_path / "d.csv")).certify(tmp_path / "c.jsonl")
    write_report(tmp_path / "c.jsonl", tmp_path / "r.html", data=tmp_path / "d.csv")
    page = (tmp_path / "r.html").read_text()
    assert [row[:3] for row in rows_of(page, "sequences")[1:]] == [["first", "a", "2"], ["second", "b", "1"]]
    assert "The data file was compared with the certificate." in page
    assert 'download="d.csv"' in page
    assert "<h2>Block by block</h2>" in page
    write_report(tmp_path / "c.jsonl", tmp_path / "r.html")
    assert [row[0] for row in rows_of((tmp_path / "r.html").read_text(), "sequences")[1:]] == ["0", "1"]


def test_what_is_a_certificate(certificate: Path, tmp_path: Path) -> None:
    (tmp_path / "t.json").write_text('{"exactformer": "tokens",\n"x": "certificate"}')
    assert (is_certificate(certificate), is_certificate(tmp_path / "t.json")) == (True, False)


def test_pictures_of_certificates_are_of_the_kind_asked_for(certificate: Path, tmp_path: Path) -> None:
    out = tmp_path / "p.png"
    graph = plot_certificate(certificate, "graph", out)
    last = account_of(certificate).orbit
    assert last is not None
    assert graph.axes[0].get_title() == f"follower graph of layer {last.layers}"
    ef.construct([[[0]], [[1]]], labels=["a", "b"]).certify(tmp_path / "c.jsonl")
    assert plot_certificate(tmp_path / "c.jsonl", "bits", out).axes[0].get_xlabel() == "block"
    assert plot_certificate(tmp_path / "c.jsonl", "blocks", out).axes[0].get_title() == "input"


def test_a_layer_of_a_certificate_can_be_chosen(certificate: Path, tmp_path: Path) -> None:
    out = tmp_path / "p.png"
    assert plot_certificate(certificate, "graph", out, layer=1).axes[0].get_title() == "follower graph of layer 1"
    assert [ax.get_title() for ax in plot_certificate(certificate, None, out, layer=2).axes] == ["layer 2"]
    ef.construct([[[0]], [[1]]], labels=["a", "b"]).certify(tmp_path / "c.jsonl")
    for kind in ("orbit", "graph", "float", "dial"):
        with pytest.raises(InvalidInput, match=f"blocks, bits for a construction, got '{kind}'"):
            plot_certificate(tmp_path / "c.jsonl", kind, out)


def test_the_title_of_a_refutation_says_its_witness() -> None:
    assert refuted_title("All is well.", {"token": 3, "layer": 5}) == "refuted: All is well. Witness: token 3, layer 5"
    assert refuted_title("All is well.", {}) == "refuted: All is well."


# ---------------------------------------------------------------- accounts of geometry, weights


def test_weights_of_every_form_are_shown_and_long_ones_cut() -> None:
    wide = Dense([[k] * 13 for k in range(14)])
    layer = FeedForward(1, wide, list(range(13)), Zero())
    attention = SelfAttention(Fraction(1, 2), Scalar(3), Outer([1, 2], [3, 4]), Outer([5, 6], [7, 8]))
    shown = unescape(re.sub(r"<(?!br)[^>]*>", "", block_weights(Block(layer, attention))))
    assert shown.count("<br>") == 13
    assert "<br>.. 2 more rows" in shown
    assert "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, .. (13 in all)" in shown
    assert "W = 0" in shown
    assert "rho = 1/2" in shown
    assert "V = 3 times the identity" in shown
    assert "Q = column (1, 2) times row (3, 4)" in shown
    assert "K = column (5, 6) times row (7, 8)" in shown
    assert "identity" in block_weights(Block(None, None))


def test_polynomials_in_words() -> None:
    assert polynomial_text(["1/2", "0", "-3", "1"]) == "x^3 - 3 x^2 + 1/2"
    assert polynomial_text(["0", "-1"]) == "-x"
    assert polynomial_text(["1"]) == "1"
    assert polynomial_text(["0"]) == "0"


def test_citations_are_of_the_software_and_of_the_papers() -> None:
    assert bibtex_for("nothing known").count("@") == 1
    for claim, papers in PAPERS.items():
        assert bibtex_for(claim).startswith("@software")
        assert bibtex_for(claim).count("@") == 1 + len(papers)
    assert len(PAPERS["counterexample"]) == 4


# ---------------------------------------------------------------- reviews


@pytest.mark.parametrize("text", [TEXT, "Boring waste. Awful."])
def test_the_votes_of_a_page_add_up_to_its_value(text: str, tmp_path: Path) -> None:
    found = load().explain(text)
    write_review_page(found, tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text()
    assert f"<title>{found.decision}: a decision and its vote</title>" in page
    exact = [Fraction(text) for text in re.findall(r'data-exact="(.*?)"', page)]
    rows = found.rows(most=12)
    assert exact[:-1] == [row.vote for row in rows]
    assert sum(exact[:-1]) == exact[-1] == found.value
    largest = max(abs(row.vote) for row in rows)
    bars = re.findall(r'<rect class="(yes|no)" x="(.*?)" width="(.*?)"', page)
    for row, (kind, x, size) in zip(rows, bars, strict=True):
        length = round(60 * float(abs(row.vote) / largest), 1)
        assert (kind, float(size)) == ("yes" if row.vote > 0 else "no", length)
        assert float(x) == (0 if row.vote > 0 else -length)
    votes = rows_of(page, "votes")
    for row, cells in zip(rows, votes[1:-1], strict=True):
        assert cells[0] == row.label
        assert cells[1] == ("" if row.start is None else str(row.start))
        followers = sum(found.words[i].count for i in row.followers)
        assert cells[2] == ("" if row.leader is None else str(followers))
        assert cells[5] == f"{float(row.vote):+.6f}"
    assert f"after {found.model.layers} layers of attention." in page
    assert f"The decision is the same at every depth from {found.same_from} layers on." in page
    assert '<div class="verdict accepted"><b>accepted</b>' in page


def test_the_text_of_a_page_is_whole_and_its_words_coloured(tmp_path: Path) -> None:
    found = load().explain(TEXT)
    write_review_page(found, tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text()
    (text,) = re.findall(r'<p class="text">(.*?)</p>', page, re.DOTALL)
    assert unescape(re.sub(r"<[^>]*>", "", text)) == TEXT
    words = re.findall(r'<span class="(\w+)( leader)?" data-word="(\d+)" title="(.*?)">(.*?)</span>', text)
    assert len(words) == sum(found.counts.values())
    for colour, leader, index, title, shown in words:
        word = found.words[int(index)]
        assert shown.lower() == word.word
        assert colour == colour_class(found, int(index))
        assert bool(leader) == (word.leads_from is not None)
        names = ", ".join(found.words[i].word for i in word.follows[:8])
        assert unescape(title) == f"follows {names}; weight {float(word.weight):.6f}; score {float(word.score):+.4f}"
    ranks = {i: k for k, i in enumerate(found.leaders)}
    for i, word in enumerate(found.words):
        if len(word.follows) == 1 and word.follows[0] in ranks:
            assert colour_class(found, i) == f"w{ranks[word.follows[0]] % len(COLOURS)}"


def test_the_decision_line_parts_the_plane_of_a_review() -> None:
    found = load().explain(TEXT)
    stage = plane_stage(found)
    points = np.vstack(stage.scene.points)
    line = decision_line(found, points)
    v = np.array([float(x) for x in found.model.direction])
    assert line.shape == (2, 2)
    assert np.allclose(line @ v + float(found.bias), 0)
    low, high = points.min(axis=0), points.max(axis=0)
    room = 0.06 * (high - low).max()
    on_edge = [np.isclose(p, low - room) | np.isclose(p, high + room) for p in line]
    assert all(edge.any() for edge in on_edge)
    mean = stage.scene.points[-1][-1]
    assert (mean @ v + float(found.bias) > 0) == (found.decision == "positive")
    assert len(decision_line(found, line[:1] + 1000 * v)) == 0
    assert stage.scene.styles[0][-1] == MEAN
    assert stage.legend[-1] == (MEAN, "mean of all words")
    assert [text for _, text in stage.legend[:-1]] == [
        f"{found.words[i].word} and its followers" for i in found.leaders[:12]
    ]
    for k in (0, found.model.layers):
        state, follows = found.ballot.engine.state(k), found.follows(k)
        for i in range(len(found.words)):
            place, members = stage.cells[k][2 * i : 2 * i + 2]
            assert place == f"({', '.join(map(str, state[found.ballot.index[i]]))})"[: len(place)] or "~" in place
            assert members == ", ".join(found.words[j].word for j in follows[i][:8])


# ---------------------------------------------------------------- the mean field


def run_of(beta: float, shown: np.ndarray[Any, Any], *, exact: bool = True) -> Run:
    t = np.linspace(0, 20, len(shown))
    w2 = np.exp(-t / 2) + 0.01 / beta * np.exp(t / 2)
    return Run(beta, t, w2 if exact else w2 / 2, w2, shown)


def simulation(dim: int, *, exact: bool = True) -> Simulation:
    cloud = np.random.default_rng(dim).standard_normal((40, dim))
    cloud /= np.linalg.norm(cloud, axis=1, keepdims=True)
    shown = np.stack([cloud] * 101)
    runs = tuple(run_of(beta, shown, exact=exact) for beta in (10.0, 100.0))
    return Simulation(runs, run_of(1e9, shown), None)


def test_tokens_behind_the_sphere_are_pale() -> None:
    found = simulation(3)
    ax = draw_tokens(found).axes[0]
    behind, front = ax.collections
    cloud = found.runs[-1].shown[0]
    # e3 is drawn upwards and towards the viewer, since the view is from above
    eye = np.linalg.lstsq(np.vstack([VIEW, [0, 0, 1]]), [0, 0, 1], rcond=None)[0]
    for drawn, alpha, size, chosen in ((behind, 0.25, 3, cloud @ eye <= 0), (front, 0.9, 6, cloud @ eye > 0)):
        assert np.allclose(drawn.get_offsets(), cloud[chosen] @ VIEW.T)
        assert (drawn.get_alpha(), drawn.get_sizes()[0]) == (alpha, size)
    assert front.get_zorder() > behind.get_zorder()
    assert [text.get_text() for text in ax.texts] == ["e1", "e2", "e3"]
    tips = [line.get_xydata()[1] for line in ax.lines[1:]]
    assert np.allclose(tips, VIEW.T)
    assert [line.get_linestyle() for line in ax.lines[1:]] == ["-" if x > 0 else ":" for x in eye]
    assert np.allclose(ax.get_xlim(), [-1.08, 1.08])


def test_the_mass_around_the_circle_is_that_of_the_tokens() -> None:
    found = simulation(2)
    ax = draw_tokens(found).axes[0]
    bars, tokens = ax.collections
    cloud = found.runs[-1].shown[0]
    assert np.allclose(tokens.get_offsets(), cloud)
    hues = (np.arctan2(cloud[:, 1], cloud[:, 0]) / (2 * np.pi)) % 1
    assert np.allclose(tokens.get_array(), hues)
    lengths = [np.linalg.norm(path.vertices[1]) - np.linalg.norm(path.vertices[0]) for path in bars.get_paths()]
    counts = np.histogram(hues, bins=120, range=(0, 1))[0]
    assert np.allclose(lengths, 0.45 * np.sqrt(counts / 40))
    middles = [np.arctan2(*path.vertices[0][::-1]) % (2 * np.pi) for path in bars.get_paths()]
    assert np.allclose(middles, (np.arange(120) + 0.5) * 2 * np.pi / 120)
    assert np.allclose(ax.get_xlim(), [-1.53, 1.53])
    assert ax.figure.get_suptitle() == r"$\beta$ = 100"


@pytest.mark.parametrize("exact", [True, False])
def test_bounds_of_w2_are_a_band_where_they_differ(exact: bool) -> None:
    found = simulation(2, exact=exact)
    (ax,) = draw_distances(found).axes
    assert len(ax.collections) == (0 if exact else 2)
    lowest = min(run.phases.w2_min for run in found.runs)
    assert np.allclose(ax.get_ylim(), [lowest / 4, 3])
    assert ax.get_yscale() == "log"
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert labels == [r"$\beta$ = 10", r"$\beta$ = 100", "zero temperature"]
    colours = [to_hex(line.get_color()) for line in ax.lines[:6]]
    assert colours[0] == colours[1] != colours[3] == colours[4]
    laws = draw_laws(found)
    assert [ax.get_ylabel() for ax in laws.axes] == ["t", "log W2"]


def test_laplace_errors_against_beta(monkeypatch: pytest.MonkeyPatch) -> None:
    few = four_measures(2000)
    monkeypatch.setattr("exactformer.report.meanfield_plot.four_measures", lambda: few)
    monkeypatch.setattr(approx_laplace, "POINTS", 200)
    betas = (30.0, 100.0, 300.0, 1000.0)
    largest, mean = draw_laplace(np.eye(2), betas).axes
    for name, tokens in few.items():
        errors = approx_laplace_errors(tokens, np.eye(2), betas)
        for ax, values in ((largest, errors[:, 0]), (mean, errors[:, 1])):
            exponent = np.log(values[3] / values[2]) / np.log(betas[3] / betas[2])
            (line,) = [line for line in ax.lines if line.get_label() == f"{name}: {exponent:.2f}"]
            assert np.allclose(line.get_xydata(), np.column_stack([betas, values]))
    for ax in (largest, mean):
        assert np.allclose(ax.lines[-1].get_ydata(), np.sqrt(np.log(np.array(betas) + 1) / betas))
    assert [ax.get_title().split(" $")[0] for ax in (largest, mean)] == ["largest", "root mean square"]


def test_the_page_of_the_mean_field_has_system_slopes_and_phases(tmp_path: Path) -> None:
    found, system = simulation(4), sample_system("random", dim=4, seed=1)
    write_meanfield(found, system, tmp_path)
    page = unescape((tmp_path / "index.html").read_text())
    for name in "VBM":
        rows = "; ".join(", ".join(map(str, row)) for row in getattr(system, name))
        assert rows in page
    measured, predicted = found.slopes(), found.predicted()
    for key, words in (("t_min", "time of the least W2"), ("escape", "escape"), ("w2_min", "log of the least W2")):
        cells = [words, *("-" if s[key] is None else f"{s[key]:.4f}" for s in (measured, predicted))]
        assert "".join(f"<td>{cell}</td>" for cell in cells) in page
    for run in found.runs:
        low, high = run.phases.metastable
        escape = f"{run.phases.escape:.2f}"
        assert f"<td>{low:.1f} to {high:.1f}</td><td>{escape}</td>" in page
    assert "The announced form" not in page


def test_kinds_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    tokens, built = ef.Tokens([[1, 0], [0, 1]]), ef.construct([[[0]], [[1]]], labels=["a", "b"])
    for thing, kind, known in ((tokens, "blocks", "orbit, graph, bits, float"), (built, "orbit", "blocks, bits")):
        with pytest.raises(InvalidInput, match=known):
            ef.plot(thing, kind)
    with pytest.raises(InvalidInput, match="expected Tokens"):
        ef.plot(3)
    with pytest.raises(InvalidInput, match='attention="softmax"'):
        ef.plot(built, "temperatures")
