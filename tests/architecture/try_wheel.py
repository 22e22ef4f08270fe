"""A wheel that installs from nothing and works: python tests/architecture/try_wheel.py (`make wheel`; needs uv).

Built from this tree, installed into a fresh environment outside it, and tried: the demo, a construction and its check,
a decision, the atlas, and `mypy --strict` on a user's program, which must accept what is right and see what is wrong.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]

RIGHT = """\
import exactformer as ef
from fractions import Fraction

tokens: ef.Tokens = ef.Tokens([["1", "1"], ["1", "-1"], ["1/2", "0"]], alpha="1/2")
limit: ef.Limit = ef.limit(tokens)
built: ef.Built = ef.construct([[[0]], [[1]], [[0], [1]]], targets=[[0], [1], [2]])
blocks: int = built.report.blocks
score: Fraction = ef.construct([[[0]], [[2]]], labels=["a", "b"]).score([[[0]]], ["a"])
certificate: ef.Certificate = ef.Certificate.open("cert.jsonl")
verdict = ef.check("cert.jsonl")
page: ef.PlayWidget = tokens.play()
page._repr_html_(), page.page
page.close()
decision: str = ef.sentiment.load().explain("a wonderful film").decision
print(ef.__version__, limit.leaders, blocks, score, decision, bool(verdict))
"""
#: the page and a proof from `exactformer play`, which Ctrl-C ends
PLAYED = """\
import json, signal, subprocess, urllib.request

process = subprocess.Popen(["exactformer", "play", "--no-browser", "--json"], stdout=subprocess.PIPE, text=True)
address = json.loads(process.stdout.readline())["url"]
page = urllib.request.urlopen(address).read().decode()
tokens = b'{"exactformer": "tokens", "version": [1, 0], "tokens": [["1", "0"], ["1", "1"]]}'
asked = urllib.request.Request(address + "api/proof", tokens, method="POST")
proof = json.load(urllib.request.urlopen(asked))
process.send_signal(signal.SIGINT)
assert process.wait(20) == 130
assert proof["verdict"]["verdict"] == "accepted"
assert 'id="picture"' in page and "exactLayers" in page
"""
#: each line is wrong, and mypy must say so
WRONG = """\
import exactformer as ef
blocks: str = ef.construct([[[0]]], targets=[[0]]).report.blocks
ef.simulate(ef.Tokens([[1]]), layer=3)
ef.limit(ef.Tokens([[1]])).nonsense
ef.nonsense
"""
COMMANDS = (
    "exactformer --version",
    "exactformer demo -o demo",
    "exactformer sample random-classes -n 20 -d 3 --seed 1 -o data.json",
    "exactformer construct data.json -o cert.jsonl",
    "exactformer check cert.jsonl --data data.json",
    "proofs-check cert.jsonl",
    "exactformer sentiment explain wonderful -o review.jsonl",
    "exactformer papers clustering/theorem-1.1-i --run",
    "python right.py",
    "python played.py",
    "mypy --strict right.py",
)


def run(line: str, folder: Path, binaries: Path) -> subprocess.CompletedProcess[str]:
    """A command with the programs of the fresh environment first, and nothing of this one."""
    inherited = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "VIRTUAL_ENV"))}
    environment = inherited | {"PATH": f"{binaries}{os.pathsep}{os.environ['PATH']}"}
    return subprocess.run(line.split(), cwd=folder, env=environment, capture_output=True, text=True)


def main() -> int:
    """0 if everything works."""
    with tempfile.TemporaryDirectory(prefix="exactformer-wheel-") as place:
        folder = Path(place)
        binaries = folder / "fresh" / "bin"
        prepare = (
            f"uv build --quiet --wheel --out-dir {folder} {ROOT}",
            f"uv venv --quiet --python {sys.executable} {folder / 'fresh'}",
        )
        for line in prepare:
            subprocess.run(line.split(), check=True)
        [wheel] = folder.glob("*.whl")
        install = f"uv pip install --quiet --python {binaries / 'python'} {wheel} mypy"
        subprocess.run(install.split(), check=True)
        (folder / "right.py").write_text(RIGHT, encoding="utf-8")
        (folder / "played.py").write_text(PLAYED, encoding="utf-8")
        (folder / "wrong.py").write_text(WRONG, encoding="utf-8")
        failed = 0
        for line in COMMANDS:
            done = run(line, folder, binaries)
            failed += done.returncode != 0
            print(f"{done.returncode}  {line}" + (f"\n{done.stdout}{done.stderr}" if done.returncode else ""))
        seen = run("mypy --strict wrong.py", folder, binaries).stdout
        missed = [line for line in range(2, WRONG.count("\n") + 1) if f"wrong.py:{line}: error" not in seen]
        print(f"{1 if missed else 0}  mypy --strict wrong.py sees every wrong line" + (f"\n{seen}" if missed else ""))
    return int(failed > 0 or bool(missed))


if __name__ == "__main__":
    sys.exit(main())
