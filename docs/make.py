"""Makes every picture and every quoted output of the documentation and of the README: python docs/make.py"""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import exactformer as ef
from exactformer.cli.demo import all_but_one_csv, tilted_square
from exactformer.report.canvas import save
from exactformer.report.gallery import configurations, draw_gallery

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


def draw() -> None:
    """The pictures."""
    PICTURES.mkdir(exist_ok=True)
    save(draw_gallery(), PICTURES / "configurations.png")
    ef.plot(tilted_square(), "float", layers=40, path=PICTURES / "float.png", title="a tilted square")
    ef.plot(configurations()["emerging leader"], "graph", layers=1, layer=0, path=PICTURES / "graph.png")
    ef.plot(configurations()["emerging leader"], "bits", layers=60, path=PICTURES / "bits.png")
    sequences = [[[x, 0] for x in range(6) if x != j] for j in range(6)]
    data = ef.Dataset.of([ef.Sequence.of(tokens, label=f"lacks {j}") for j, tokens in enumerate(sequences)])
    for method in ("shallow", "deep", "paper"):
        built = ef.construct(data, method=method)
        ef.plot(built, path=PICTURES / f"{method}.png", title=f"method {method}: {built.report.blocks} blocks")


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
            text += f'\n## {title.rstrip(".")}\n\n`benchmarks/{script.name}`\n\n```\n--8<-- "{output}"\n```\n'
    (DOCS / "performance.md").write_text(text, encoding="utf-8")


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
    with tempfile.TemporaryDirectory() as place:
        record(Path(place))
        fill(DOCS.parent / "README.md", Path(place))
