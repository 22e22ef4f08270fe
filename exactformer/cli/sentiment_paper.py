"""`exactformer sentiment paper`: the paper's table and figures with ours beside them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from exactformer.cli.common import json_option, make_folder, progress, say
from exactformer.cli.presenter import AnswerTable, present
from exactformer.cli.sentiment_train import reviews_path

if TYPE_CHECKING:
    from exactformer.io.json_lines import JsonObject
    from exactformer.studies.sentiment.paper import DimensionRow

COLUMNS = ["d", "leaders", "ours, test", "no attention", "published best", "mean", "std", "min", "max", "initial"]


def _dims(ctx: click.Context, parameter: click.Parameter, value: str) -> tuple[int, ...]:
    try:
        found = tuple(int(part) for part in value.split(","))
    except ValueError as problem:
        raise click.BadParameter(f"expected dimensions such as 2,4,8, got {value!r}") from problem
    if not found or not all(1 <= dim <= 256 for dim in found):
        raise click.BadParameter(f"expected dimensions from 1 to 256, got {value!r}")
    return found


@click.command("paper")
@click.argument("reviews", metavar="REVIEWS", type=reviews_path)
@click.option(
    "-o", "--output", type=click.Path(path_type=Path, file_okay=False), required=True, metavar="DIR", help="Folder."
)
@click.option("--dims", default="2,4,8,16", callback=_dims, metavar="d,..", help="Dimensions (2,4,8,16).")
@click.option("--seed", type=click.IntRange(min=0), default=0, metavar="S", help="Seed (0).")
@click.option(
    "--sample",
    type=click.IntRange(min=1),
    default=1000,
    metavar="N",
    help="Reviews from which words are deleted (1000).",
)
@json_option
def command(reviews: Path, output: Path, dims: tuple[int, ...], seed: int, sample: int, as_json: bool) -> None:
    """Train on REVIEWS for d = 2, 4, 8, 16 and write table and figures to DIR, the published ones beside ours.

    Models are kept in DIR, so that an interrupted run goes on, and a second one only evaluates.

    \b
    Example:
      exactformer sentiment sample -n 300 --seed 1 -o reviews.csv
      exactformer sentiment paper reviews.csv --dims 2 --sample 20 -o paper
    """
    from exactformer.studies.sentiment.paper import reproduce

    make_folder(output, "table.json", "*.png", "*.model.xz")
    with progress("paper", 100) as bar:
        rows = reproduce(
            reviews,
            output,
            dims=dims,
            seed=seed,
            sample=sample,
            progress=lambda _, done, total: bar(100 * done // total),
        )
    answer: JsonObject = {"protocol": PROTOCOL, "seed": seed, "rows": [row.json() for row in rows]}
    files = _write(rows, answer, reviews, output)
    lines = map(_line, answer["rows"])
    table = AnswerTable("test accuracies and leaders of a test review", COLUMNS, lines, PROTOCOL)
    present(as_json, answer, [table])
    say(f"wrote {', '.join(str(path) for path in files)}")


PROTOCOL = (
    "ours: 60/10/30 split by hash of the text, the validation part chooses, trained again on train and validation, the"
    " test part looked at once; published: the best of 101 epochs on the test part itself, another split and vocabulary"
)


def _line(row: JsonObject) -> list[object]:
    leaders, best = row["leaders"], row["published_best"]
    return [
        row["dim"],
        row["leaders_option"],
        f"{row['test']:.4f}",
        f"{row['without_attention']['test']:.4f}",
        "-" if best is None else f"{best:.4f}",
        *(leaders[name] for name in ("mean", "std", "min", "max", "fraction_initial")),
    ]


def _write(rows: list[DimensionRow], answer: JsonObject, reviews: Path, folder: Path) -> list[Path]:
    from exactformer.io.json_lines import write_atomically
    from exactformer.report.canvas import save
    from exactformer.report.sentiment_plots import plot_accuracy, plot_planes, plot_words
    from exactformer.studies.sentiment.evaluation import labelled_reviews
    from exactformer.studies.sentiment.paper import PUBLISHED_WORDS, clear_reviews

    write_atomically(folder / "table.json", json.dumps(answer, indent=1).encode() + b"\n")
    files = [folder / "table.json"]
    figures = {"accuracy.png": plot_accuracy(answer["rows"])}
    plane = next((row for row in rows if row.dim == 2), None)
    if plane is not None:
        figures["leader-words.png"] = plot_words(plane.evaluation["top"], PUBLISHED_WORDS)
        texts = clear_reviews(plane.model, labelled_reviews(reviews, plane.model))
        if any(texts):
            figures["reviews.png"] = plot_planes([plane.model.explain(text) for text in texts if text])
    for name, figure in figures.items():
        save(figure, folder / name)
        files.append(folder / name)
    return files
