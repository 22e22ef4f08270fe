"""Our version of the papers' figures, from the same instances as the rows; drawn in floats, they prove nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from exactformer.papers.inputs import LEMMAS, TOKENS

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class PaperFigure:
    """A picture of the atlas: its paper, its file, what it shows, and how it is drawn."""

    paper: str
    file: str
    words: str
    draw: Callable[[], Figure]


def draw_figures(paper: str, folder: Path) -> Iterator[tuple[PaperFigure, Path]]:
    """Draws the figures of a paper into a folder, one after the other."""
    from exactformer.report.canvas import save

    for figure in FIGURES:
        if figure.paper == paper:
            path = folder / f"{paper}-{figure.file}"
            save(figure.draw(), path)
            yield figure, path


# clustering ------------------------------------------------------------------------------------------------------
def geometry() -> Figure:
    """Figure 1: whom z_1 follows, for two matrices."""
    from exactformer.model.tokens import Tokens
    from exactformer.report.geometry_plot import draw_attention

    instances = {}
    for title, name in (("(a) A = I", "figure-1a.json"), ("(b) A = ((2, 1), (1, 1))", "figure-1b.json")):
        alpha, A, rows = TOKENS[name]
        instances[title] = Tokens(rows, A=A, alpha=alpha)
    return draw_attention(instances)


def draw_configurations() -> Figure:
    """Figure 2: four configurations, layer by layer."""
    from exactformer.report.gallery import draw_gallery

    return draw_gallery()


#: two reviews of our own, decided by the model that comes with the package
TEXTS = (
    "A wonderful and touching film. The story is a bit long, and one scene is boring, but the music is superb.",
    "A waste of time. The plot is dull, the acting is awful, and not even the beautiful pictures save the film.",
)


def trajectories() -> Figure:
    """Words of two reviews in the plane, before the first layer and after the last."""
    from exactformer.report.sentiment_plots import plot_planes
    from exactformer.studies.sentiment import load

    model = load()
    return plot_planes([model.explain(text) for text in TEXTS])


def leader_words() -> Figure:
    """The words that lead in generated reviews decided rightly, beside those of the paper's histogram."""
    from exactformer.report.sentiment_plots import plot_words
    from exactformer.studies.sentiment import load
    from exactformer.studies.sentiment.families import sample_reviews
    from exactformer.studies.sentiment.paper import PUBLISHED_WORDS

    model, counts = load(), Counter[str]()
    for positive, text in sample_reviews(300, 1):
        explanation = model.explain(text)
        if (explanation.decision == "positive") == positive:
            counts.update(explanation.words[i].word for i in explanation.leaders)
    return plot_words(counts.most_common(15), PUBLISHED_WORDS, title="ours, d = 2, on 300 generated reviews")


# interpolation ---------------------------------------------------------------------------------------------------
def collapses() -> Figure:
    """Figure 4: what attention does in the three lemmas."""
    import numpy as np

    from exactformer.report.geometry_plot import draw_moves

    titles = ("Lemma 4.1: rank one along (1, 0)", "Lemma 4.2: one token dominates", "Lemma 4.3: a sphere")
    moves = {}
    for title, (scores, tokens, _) in zip(titles, LEMMAS.values(), strict=True):
        keys = np.array(tokens) @ np.array(scores).T
        moves[title] = (np.array(tokens, float), np.array(tokens, float)[(keys @ keys.T).argmax(axis=1)])
    return draw_moves(moves)


def stages() -> Figure:
    """The four stages of the construction on six sequences that share all tokens but one."""
    from exactformer.constructions.pipeline import construct
    from exactformer.report.plot import plot

    sequences = [[[x, 0] for x in range(6) if x != j] for j in range(6)]
    built = construct(sequences, labels=[f"lacks {j}" for j in range(6)], method="paper")
    return plot(built, title=f"the four stages: {built.report.blocks} blocks")


def losses() -> Figure:
    """Loss against steps of training for three eps, with the guarantees eps |Theta*|^2."""
    from exactformer.instances.named_families import sample
    from exactformer.report.curve_plot import draw_curves
    from exactformer.training.train import train

    result = train(sample("random-classes", n=12, d=2, seed=1), eps=["1e-1", "1e-2", "1e-3"], start="random")
    curves, bounds = {}, {}
    for run in result.runs:
        steps = [step for _, step, _, _ in run.history]
        curves[f"E, eps = {float(run.eps):g}"] = (steps, [loss for *_, loss, _ in run.history])
        bounds[f"guarantee, eps = {float(run.eps):g}"] = ([steps[0], steps[-1]], [float(run.guarantee)] * 2)
    return draw_curves(
        curves, bounds=bounds, across="steps of L-BFGS", up="loss E", log_x=False, title="12 sequences, d = 2"
    )


def comparison() -> Figure:
    """Numbers and blocks of all constructions against N, up to 100."""
    from exactformer.papers.comparison import COMPETITORS, competitor_report, draw_comparison, random_data

    rows: dict[str, list[tuple[int, int, int]]] = {}
    for count in (10, 30, 100):
        data = random_data(count)
        for competitor in COMPETITORS:
            report = competitor_report(competitor, data)
            rows.setdefault(competitor.name, []).append((count, report.blocks, report.parameters))
    return draw_comparison(rows)


# Frank-Wolfe -----------------------------------------------------------------------------------------------------
def broken_bound() -> Figure:
    """The energies of the tokens 3 and -1 and the bound of Theorem 3.1, which the first breaks at layer 575."""
    from exactformer.instances.frank_wolfe import FrankWolfe
    from exactformer.report.curve_plot import draw_curves

    instance = FrankWolfe(((Fraction(1),),), ((Fraction(3),), (Fraction(-1),)), 3000)
    times, first, second = range(1, 3001), [], []
    for layer in list(instance.orbit(sign=-1))[1:]:
        square = 2 * layer.denominator**2
        first.append(float(Fraction(layer.points[0][0] ** 2, square)))
        second.append(float(Fraction(layer.points[1][0] ** 2, square)))
    bound = [32 / (t + 1) for t in times]
    curves = {"energy of token 1 (from 3)": (list(times), first), "energy of token 2 (from -1)": (list(times), second)}
    return draw_curves(
        curves,
        bounds={"bound 2/(t+1) lambda_max diam^2": (list(times), bound)},
        across="t",
        up="energy",
        title="Theorem 3.1 of the first version: broken at t = 575",
    )


# time delay ------------------------------------------------------------------------------------------------------
def rollouts(name: str) -> Figure:
    """Rollouts of all models of a study over the truth, after 300 steps of training."""
    from exactformer.report.delay_plot import plot_study
    from exactformer.studies.time_delay.experiments import STUDIES, run_study

    study = next(study for study in STUDIES if study.name == name)
    truth, entries = run_study(study, seeds=1, steps=300, progress=lambda words: None)
    return plot_study(f"{study.words}; 300 steps of training", truth, {e.model: e.rollout for e in entries})


# mean field ------------------------------------------------------------------------------------------------------
def phases(draw: str) -> Figure:
    """W2 to the limit against time, or tokens on the circle, at inverse temperatures 10, 30 and 100."""
    from exactformer.report import meanfield_plot
    from exactformer.studies.mean_field.approx_density import Density
    from exactformer.studies.mean_field.approx_run import Settings, approx_run
    from exactformer.studies.mean_field.approx_transport import ApproxLimit
    from exactformer.studies.mean_field.families import sample_system
    from exactformer.studies.mean_field.spectrum import Dominant, dominant

    system = sample_system("metastable")
    found = dominant(system.M)
    if not isinstance(found, Dominant):
        raise AssertionError("unreachable: the dominant eigenvalue of this system is 1/2")
    tokens = Density.generic(system.dim).tokens(600, None)
    run = approx_run(system.floats(), ApproxLimit.of(found), tokens, [10.0, 30.0, 100.0], Settings(20.0, 0.2))
    return getattr(meanfield_plot, draw)(run)


FIGURES = (
    PaperFigure("2407.01602", "figure-1.png", "whom z_1 follows, for A = I and A = ((2, 1), (1, 1))", geometry),
    PaperFigure(
        "2407.01602", "figure-2.png", "four configurations with alpha = 1/2, layer by layer", draw_configurations
    ),
    PaperFigure("2407.01602", "trajectories.png", "words of two reviews of our own, before and after", trajectories),
    PaperFigure("2407.01602", "leader-words.png", "leader words in generated reviews, and the paper's", leader_words),
    PaperFigure("2502.02270", "figure-4.png", "attention in the three lemmas", collapses),
    PaperFigure("2502.02270", "stages.png", "the four stages of the construction", stages),
    PaperFigure("2502.02270", "losses.png", "loss curves of regularised training, with guarantees", losses),
    PaperFigure("2502.02270", "comparison.png", "constructions beside each other, N up to 100", comparison),
    PaperFigure("2508.09628", "theorem-3.1.png", "energies that break the bound of Theorem 3.1", broken_bound),
    PaperFigure("2602.08478", "tones.png", "rollouts on two tones", lambda: rollouts("tones")),
    PaperFigure("2602.08478", "lorenz.png", "rollouts on Lorenz '63", lambda: rollouts("lorenz")),
    PaperFigure("2605.10931", "phases.png", "W2 to the limit against time", lambda: phases("draw_distances")),
    PaperFigure("2605.10931", "tokens.png", "tokens in the three phases", lambda: phases("draw_tokens")),
)
