"""Makes every picture and every quoted output of the documentation and of the README: python docs/make.py"""

from __future__ import annotations

import base64
import hashlib
import inspect
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

import exactformer as ef
from exactformer.cli.demo import all_but_one_csv, random_labels, tilted_square
from exactformer.evaluate.hardmax_limit import hardmax_limit
from exactformer.languages import literature
from exactformer.papers.comparison import draw_comparison
from exactformer.papers.page import markdown
from exactformer.play.page import page as page_to_play_with
from exactformer.report.automaton_plot import draw_automaton
from exactformer.report.canvas import save
from exactformer.report.gallery import configurations, draw_gallery
from exactformer.report.hardmax_plot import plot_hardmax_limit
from exactformer.report.heads_plot import draw_heads
from exactformer.report.leaders_plot import draw_leaders, leader_counts, leader_table
from exactformer.report.margin_plot import plot_margins
from exactformer.report.meanfield_plot import draw_distances, draw_laplace, draw_laws, draw_tokens
from exactformer.studies.mean_field.families import sample_system
from exactformer.training.network_training import small_architecture

DOCS = Path(__file__).parent
PICTURES, OUTPUTS = DOCS / "pictures", DOCS / "outputs"
#: for every function that draws, what its pictures depended on when they were made
MADE = PICTURES / "made.json"

#: name of an output -> the commands that print it, run one after the other in one folder
SESSIONS = {
    "construct": ["exactformer construct pets.csv -o pets.jsonl", "exactformer check pets.jsonl --data pets.csv"],
    "run": ["exactformer run pets.jsonl new.csv"],
    "refused": ["exactformer construct twins.csv -o twins.jsonl", "exactformer check twins.jsonl --data twins.csv"],
    "limit": ["exactformer limit square.json -o square.jsonl", "proofs-check square.jsonl"],
    "crosscheck": ["exactformer crosscheck square.json --layers 40"],
    "hunt": ["exactformer hunt every-leader-leads-at-once --seed 1 -o found", "proofs-check found.jsonl"],
    "methods": ["exactformer construct shared.csv --method all"],
    "language": [
        'exactformer language compile "(ab)*" -o proof.jsonl',
        "proofs-check proof.jsonl",
        'exactformer language compile "(aa)*" -o none.jsonl',
        'exactformer language compile "(aa)*" --period any',
        "exactformer language compile parity --period any",
        "exactformer language attend proof.jsonl abab",
    ],
    "argmax": [
        "exactformer import model.safetensors --heads 4 --activation gelu_tanh --epsilon 1e-5 -o net.json",
        "exactformer run net.json ids.csv --compare float32,bfloat16",
    ],
    "network": [
        "exactformer train-network sum-mod:7 --dim 16 --heads 2 --seed 1 -o seven",
        "proofs-check seven/certificate.jsonl",
        "exactformer decide seven/network.json --domain sum-mod:7 --betas 1/2,1,2,8,64",
    ],
}

PETS = """\
sequence,label,x1,x2
a,cat,0.1,1.25
a,cat,0.7,-0.5
a,cat,2,0
b,dog,0.1,1.25
b,dog,0.7,-0.5
c,cat,2,0
c,cat,0.1,1.25
"""
FILES = {
    "pets.csv": PETS,
    "new.csv": "sequence,label,x1,x2\nb,?,0.7,-0.5\nb,?,0.1,1.25\nnew,?,1,1\n",
    "twins.csv": "sequence,label,x1\na,left,0\na,left,1\nb,right,0\nb,right,1\nb,right,1\nb,right,0\n",
    "square.json": """{"exactformer": "tokens", "version": [1, 0], "alpha": "1/2",
 "tokens": [["-1/5", "7/5"], ["-7/5", "-1/5"], ["1/5", "-7/5"], ["7/5", "1/5"], ["3/10", "2/5"], ["-1/5", "1/7"]]}
""",
    "shared.csv": all_but_one_csv(),
    "ids.csv": "3,1,4,1,5\n9,2,6\n",
}


#: a figure within a sentence: its name in docs/performance.py, and what stands there now
INLINE = re.compile(r"<!-- figure ([\w-]+) -->(.*?)<!-- -->")
#: a block that quotes a file: the file, the language, what stands there now
QUOTED = re.compile(r"<!-- from (\S+) -->\n```(\w*)\n(.*?)```\n", flags=re.DOTALL)


def draw() -> None:
    """The pictures; those whose code has not changed since they were made stay."""
    PICTURES.mkdir(exist_ok=True)
    kept = json.loads(MADE.read_text(encoding="utf-8")) if MADE.exists() else {}
    for make, rooms in DRAWN.items():
        key = digest(make, rooms)
        if kept.get(make.__name__) != key:
            make()
            kept[make.__name__] = key
            MADE.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


def digest(make: Callable[[], None], rooms: tuple[str, ...]) -> str:
    """What a function that draws depends on, as one number: its text and that of the rooms it draws from."""
    found = hashlib.sha256(inspect.getsource(make).encode())
    for room in rooms:
        place = DOCS.parent / "exactformer" / room
        for path in sorted(place.rglob("*.py")) if place.is_dir() else [place]:
            found.update(path.read_bytes())
    return found.hexdigest()[:16]


def draw_tokens_and_blocks() -> None:
    """Tokens, follower graphs, bits and constructions."""
    save(draw_gallery(), PICTURES / "configurations.png")
    ef.plot(tilted_square(), "float", layers=40, path=PICTURES / "float.png", title="a tilted square")
    ef.plot(configurations()["emerging leader"], "graph", layers=1, layer=0, path=PICTURES / "graph.png")
    ef.plot(configurations()["emerging leader"], "bits", layers=60, path=PICTURES / "bits.png")
    ef.plot(random_labels(64), "dial", path=PICTURES / "dial.png", title="method compact: 64 random labels")
    sequences = [[[x, 0] for x in range(6) if x != j] for j in range(6)]
    data = ef.Dataset.of([ef.Sequence.of(tokens, label=f"lacks {j}") for j, tokens in enumerate(sequences)])
    for method in ("shallow", "deep", "paper"):
        built = ef.construct(data, method=method)
        ef.plot(built, path=PICTURES / f"{method}.png", title=f"method {method}: {built.report.blocks} blocks")
    soft = ef.construct(data, method="leaders", attention="softmax")
    ef.plot(soft, "temperatures", path=PICTURES / "temperatures.png", title="one set of weights")


def draw_languages() -> None:
    """What the heads of recognisers look at, and two automata."""
    brackets, ab = ef.languages.compile("dyck-2-2"), ef.languages.compile("(ab)*")
    letters = ef.languages.compile(".*a.*&.*b.*&.*c.*")
    for name, recogniser, word in (
        ("first", literature.first(), "1001"),
        ("ab", ab.recogniser, "ababab"),
        ("parity", literature.parity(), "0110"),
        ("majority", literature.majority(), "01101"),
        ("dyck_1", literature.dyck_1(), "(())()"),
        ("dyck_2_2", brackets.recogniser, "([])()"),
        ("letters", letters.recogniser, "aabbca"),
    ):
        save(draw_heads(ef.languages.attend(recogniser, word)), PICTURES / f"language_{name}.png")
    for name, found in (("ab", ab), ("dyck_2_2", brackets)):
        save(draw_automaton(found.automaton), PICTURES / f"language_{name}_automaton.png")


def draw_network() -> None:
    """A network that adds modulo 113: its leads, and its hardmax limit."""
    domain = ef.Domain.sum_modulo(113)
    shape = small_architecture(domain, layers=1, dim=64, heads=4, norm="none", activation="relu")
    network = ef.train_network(domain, shape).network
    plot_margins(network.decide(domain), path=PICTURES / "network_margins.png")
    limit = hardmax_limit(network, domain)
    rows = [limit.at(network, Fraction(2) ** k) for k in range(-2, 18)]
    plot_hardmax_limit(limit, rows, path=PICTURES / "network_hardmax.png")


def draw_mean_field() -> None:
    """The pictures of many tokens at low temperature."""
    circle = ef.meanfield.approx_simulation(
        sample_system("metastable"), [10, 30, 100, 300, 1000], n=10_000, time=26, step=0.2
    )
    save(draw_distances(circle), PICTURES / "meanfield_w2.png")
    save(draw_laws(circle), PICTURES / "meanfield_laws.png")
    save(draw_tokens(circle), PICTURES / "meanfield_circle.png")
    for name, until in (("sphere", 22), ("plane", 14)):
        found = ef.meanfield.approx_simulation(sample_system(name), [30], n=4000, time=until, step=0.25)
        save(draw_tokens(found), PICTURES / f"meanfield_{name}.png")
    save(draw_laplace(np.eye(2)), PICTURES / "meanfield_laplace.png")


def draw_leaders_over_alpha() -> None:
    """How many leaders there are and how late they come, as a picture and as the table of its example."""
    counts = leader_counts()
    save(draw_leaders(counts), PICTURES / "leaders.png")
    shown = f"$ python examples/23_how_leaders_depend_on_alpha.py\n{leader_table(counts)}\n"
    (OUTPUTS / "leaders.txt").write_text(shown, encoding="utf-8")


#: what draws pictures -> the rooms whose code they show
DRAWN: dict[Callable[[], None], tuple[str, ...]] = {
    draw_tokens_and_blocks: ("dynamics", "constructions", "model", "evaluate", "report"),
    draw_mean_field: ("studies/mean_field", "report/meanfield_plot.py", "report/canvas.py", "report/palette.py"),
    draw_leaders_over_alpha: (
        "report/leaders_plot.py", "report/canvas.py", "instances/token_families.py", "conjectures/proved_limit.py",
    ),
    draw_languages: ("languages", "report/heads_plot.py", "report/automaton_plot.py", "report/canvas.py"),
    draw_network: (
        "model/network.py", "training/network_training.py", "evaluate/domain_decision.py", "evaluate/hardmax_limit.py",
        "report/margin_plot.py", "report/hardmax_plot.py", "report/canvas.py",
    ),
}  # fmt: skip


def play() -> None:
    """The page of `exactformer play`, as it is without a server."""
    (DOCS / "assets" / "play.html").write_text(page_to_play_with(), encoding="utf-8")


def atlas() -> None:
    """The page of the papers, from the table of the command, with our version of the figures."""
    (DOCS / "papers.md").write_text(markdown(), encoding="utf-8")


def comparison() -> None:
    """The picture of numbers and blocks against N, from the recorded table."""
    rows: dict[str, list[tuple[int, int, int]]] = {}
    for line in (DOCS / "benchmarks" / "comparison.txt").read_text(encoding="utf-8").splitlines()[2:]:
        found = re.match(r" *(\d+) (\S+(?: \S+)*) +(\d+) +(\d+) +(\d+) ", line)
        if found:
            rows.setdefault(found[2], []).append((int(found[1]), int(found[3]), int(found[5])))
    save(draw_comparison(rows), PICTURES / "comparison.png")


def quote() -> None:
    """Every block under `<!-- from FILE -->` of a page, filled with that file, and every figure in a sentence."""
    for page in DOCS.rglob("*.md"):
        text = QUOTED.sub(lambda m: quoted(m[1], m[2]), page.read_text(encoding="utf-8"))
        page.write_text(INLINE.sub(lambda m: inline(m[1]), text), encoding="utf-8")


def inline(name: str) -> str:
    """A figure within a sentence."""
    import performance

    return f"<!-- figure {name} -->{performance.figure(name)}<!-- -->"


def quoted(name: str, language: str) -> str:
    """The block that quotes a file of the repository."""
    return f"<!-- from {name} -->\n```{language}\n{(DOCS.parent / name).read_text(encoding='utf-8').rstrip()}\n```\n"


def notebooks() -> None:
    """The notebooks of examples/, executed, each as a page of the gallery with its pictures."""
    import nbformat
    from nbclient import NotebookClient

    for path in sorted((DOCS.parent / "examples").glob("*.ipynb")):
        notebook = nbformat.read(path, as_version=4)
        missing = [name for name in notebook.metadata.get("requires", []) if find_spec(name) is None]
        if missing:
            print(f"{path.name} stays as it is: {', '.join(missing)} is not installed")
            continue
        with tempfile.TemporaryDirectory() as folder:
            NotebookClient(notebook, timeout=120, resources={"metadata": {"path": folder}}).execute()
        for cell in notebook.cells:
            cell.metadata.pop("execution", None)  # when it was run is nobody's business
        nbformat.write(notebook, path)
        page(notebook, DOCS / "gallery" / f"{path.stem}.md")


def page(notebook: Any, path: Path) -> None:
    """A notebook as Markdown: its words, its code, what the code printed, its pictures."""
    path.parent.mkdir(exist_ok=True)
    parts = []
    for number, cell in enumerate(notebook.cells):
        if cell.cell_type == "markdown":
            parts.append(cell.source)
            continue
        parts.append(f"```python\n{cell.source}\n```")
        for output in cell.outputs:
            picture = output.get("data", {}).get("image/png")
            if picture is not None:
                name = f"{path.stem}_{number}.png"
                (path.parent / name).write_bytes(base64.b64decode(picture))
                parts.append(f"![]({name})")
            else:
                shown = output.get("text") or output.get("data", {}).get("text/plain", "")
                parts.append(f"```\n{shown.rstrip()}\n```")
    origin = f"This page is the notebook `examples/{path.stem}.ipynb`, executed."
    path.write_text("\n\n".join([*parts, origin]) + "\n", encoding="utf-8")


def run(command: str, folder: Path) -> str:
    """What a command prints: stdout, or stderr where that is empty; exit codes 0 and 1 are answers."""
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(shlex.split(command), cwd=folder, env=environment, text=True, capture_output=True)
    if done.returncode not in (0, 1):
        raise SystemExit(f"{command}: exit code {done.returncode}\n{done.stderr}")
    return "".join(f"{line.rstrip()}\n" for line in (done.stdout or done.stderr).splitlines())


def record(folder: Path) -> None:
    """The outputs, each under the commands that printed it."""
    OUTPUTS.mkdir(exist_ok=True)
    for name, content in FILES.items():
        (folder / name).write_text(content, encoding="utf-8")
    code = re.search(r"```python\n(.*?)```", (DOCS / "howto" / "argmax.md").read_text(encoding="utf-8"), re.DOTALL)
    subprocess.run([sys.executable, "-c", code[1] if code else ""], cwd=folder, check=True)  # writes model.safetensors
    for name, commands in SESSIONS.items():
        text = "".join(f"$ {command}\n{run(command, folder)}" for command in commands)
        (OUTPUTS / f"{name}.txt").write_text(text, encoding="utf-8")


def fill(readme: Path, folder: Path) -> None:
    """The console blocks of a page, each command followed by what it prints; `cat` shows a file it needs."""

    def answer(match: re.Match[str]) -> str:
        command, shown = match[1], match[2]
        if command.startswith("cat "):
            (folder / command.removeprefix("cat ")).write_text(shown, encoding="utf-8")
            return match[0]
        return f"$ {command}\n{run(command, folder)}"

    def block(match: re.Match[str]) -> str:
        return re.sub(r"^\$ (.+)\n((?:(?!\$ |```).*\n)*)", answer, match[0], flags=re.MULTILINE)

    text = readme.read_text(encoding="utf-8")
    readme.write_text(re.sub(r"```console\n.*?```", block, text, flags=re.DOTALL), encoding="utf-8")


if __name__ == "__main__":
    import performance

    draw()
    performance.write()
    comparison()
    atlas()
    play()
    with tempfile.TemporaryDirectory() as place:
        record(Path(place))
        fill(DOCS.parent / "README.md", Path(place))
    quote()
    notebooks()
