"""Makes every picture and every quoted output of the documentation and of the README: python docs/make.py"""

from __future__ import annotations

import ast
import base64
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import exactformer as ef
from exactformer.atlas.comparison import draw_comparison
from exactformer.atlas.page import markdown
from exactformer.cli.demo import all_but_one_csv, random_labels, tilted_square
from exactformer.report.canvas import save
from exactformer.report.gallery import configurations, draw_gallery
from exactformer.report.meanfield_plot import draw_distances, draw_laplace, draw_laws, draw_tokens
from exactformer.studies.mean_field.families import sample_system

DOCS = Path(__file__).parent
PICTURES, OUTPUTS = DOCS / "pictures", DOCS / "outputs"

#: name of an output -> the commands that print it, run one after the other in one folder
SESSIONS = {
    "construct": ["exactformer construct pets.csv -o pets.jsonl", "exactformer check pets.jsonl --data pets.csv"],
    "run": ["exactformer run pets.jsonl new.csv"],
    "refused": ["exactformer construct twins.csv -o twins.jsonl", "exactformer check twins.jsonl --data twins.csv"],
    "limit": ["exactformer limit square.json -o square.jsonl", "proofs-check square.jsonl"],
    "crosscheck": ["exactformer crosscheck square.json --layers 40"],
    "hunt": ["exactformer hunt every-leader-leads-at-once --seed 1 -o found", "proofs-check found.jsonl"],
    "methods": ["exactformer construct shared.csv --method all"],
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
}


#: a block that quotes a file: the file, the language, what stands there now
QUOTED = re.compile(r"<!-- from (\S+) -->\n```(\w*)\n(.*?)```\n", flags=re.DOTALL)


def draw() -> None:
    """The pictures."""
    PICTURES.mkdir(exist_ok=True)
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
    draw_mean_field()


def draw_mean_field() -> None:
    """The pictures of many tokens at low temperature."""
    circle = ef.mean_field.approx_simulation(
        sample_system("metastable"), [10, 30, 100, 300, 1000], n=10_000, time=26, step=0.2
    )
    save(draw_distances(circle), PICTURES / "meanfield_w2.png")
    save(draw_laws(circle), PICTURES / "meanfield_laws.png")
    save(draw_tokens(circle), PICTURES / "meanfield_circle.png")
    for name, until in (("sphere", 22), ("plane", 14)):
        found = ef.mean_field.approx_simulation(sample_system(name), [30], n=4000, time=until, step=0.25)
        save(draw_tokens(found), PICTURES / f"meanfield_{name}.png")
    save(draw_laplace(np.eye(2)), PICTURES / "meanfield_laplace.png")


INTRODUCTION = """\
# Performance

What the scripts in `benchmarks/` printed. `make bench-docs` runs them again and writes this page anew. Ratios are
measured within one run on one machine, with one BLAS thread, best of several.
"""


def performance() -> None:
    """The performance page: the recorded output of every benchmark under the first line of its docstring."""
    text = INTRODUCTION
    for script in sorted((DOCS.parent / "benchmarks").glob("[a-z]*.py")):
        title = (ast.get_docstring(ast.parse(script.read_text(encoding="utf-8"))) or script.stem).splitlines()[0]
        output = f"docs/benchmarks/{script.stem}.txt"
        if (DOCS.parent / output).exists():
            text += f"\n## {title.rstrip('.')}\n\n`benchmarks/{script.name}`\n\n<!-- from {output} -->\n```\n```\n"
    (DOCS / "performance.md").write_text(text, encoding="utf-8")


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
    """Every block under a line `<!-- from FILE -->` of a page, filled with that file: figures stand in the page."""
    for page in DOCS.rglob("*.md"):
        text = page.read_text(encoding="utf-8")
        page.write_text(QUOTED.sub(lambda m: quoted(m[1], m[2]), text), encoding="utf-8")


def quoted(name: str, language: str) -> str:
    """The block that quotes a file of the repository."""
    return f"<!-- from {name} -->\n```{language}\n{(DOCS.parent / name).read_text(encoding='utf-8').rstrip()}\n```\n"


def notebooks() -> None:
    """The notebooks of examples/, executed, each as a page of the gallery with its pictures."""
    import nbformat
    from nbclient import NotebookClient

    for path in sorted((DOCS.parent / "examples").glob("*.ipynb")):
        notebook = nbformat.read(path, as_version=4)
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
    done = subprocess.run(command.split(), cwd=folder, env=environment, text=True, capture_output=True)
    if done.returncode not in (0, 1):
        raise SystemExit(f"{command}: exit code {done.returncode}\n{done.stderr}")
    return "".join(f"{line.rstrip()}\n" for line in (done.stdout or done.stderr).splitlines())


def record(folder: Path) -> None:
    """The outputs, each under the commands that printed it."""
    OUTPUTS.mkdir(exist_ok=True)
    for name, content in FILES.items():
        (folder / name).write_text(content, encoding="utf-8")
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
    draw()
    performance()
    comparison()
    atlas()
    with tempfile.TemporaryDirectory() as place:
        record(Path(place))
        fill(DOCS.parent / "README.md", Path(place))
    quote()
    notebooks()
