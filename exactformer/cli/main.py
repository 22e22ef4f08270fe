"""The `exactformer` command: verbs are imported when they are called, so that help answers at once."""

from __future__ import annotations

import contextlib
import io
import os
import signal
import sys

import click

from exactformer import __version__
from exactformer.cli.common import echo, interrupt
from exactformer.cli.verbs import Verbs
from exactformer.errors import ExactformerError

#: purpose -> verb -> (module of its command, one line of help)
PURPOSES = {
    "Start": {
        "demo": (
            "demo",
            "A one-minute tour: a proved limit, a compressed classifier, an exact transformer, a counterexample.",
        ),
        "play": ("play", "Drag tokens in the browser; limits are proved as they move."),
        "papers": ("papers", "The papers, statement by statement: the status of each, and the command that shows it."),
        "sample": ("sample", "Write an instance of a named family of tokens or data sets."),
    },
    "Certify a transformer for your data": {
        "construct": ("construct", "Build a transformer that interpolates a data set exactly."),
        "run": ("run", "Run a transformer exactly on new sequences."),
        "repair": ("repair", "Turn a trained network that nearly fits into an exact one."),
        "train": ("train", "Train on pooled means, with a guarantee and proved verdicts."),
        "export": ("export", "Export a transformer to torch, NPZ or LaTeX."),
    },
    "Validate where tokens end": {
        "simulate": ("simulate", "Run the hardmax dynamics exactly, layer by layer."),
        "limit": ("limit", "Prove where every token ends, for all layers at once."),
        "crosscheck": ("crosscheck", "Show where floating point departs from exact arithmetic."),
    },
    "Refute a conjecture": {
        "hunt": ("hunt", "Judge a conjecture on many exact instances, or refute it."),
    },
    "Prove trained networks": {
        "import": ("import_weights", "Turn weights named as by GPT-2, BERT, ALBERT or torch into a network file."),
        "train-network": ("train_network", "Train a small network on a finite domain, and prove what it learnt."),
        "decide": ("decide", "Prove on which inputs of a finite domain a trained network is right."),
    },
    "Languages": {
        "language": ("language", "Transformers with hard attention as recognisers of languages."),
    },
    "Study the papers' applications": {
        "sentiment": ("sentiment", "Train, explain and certify decisions on reviews, word by word."),
        "delay": ("delay", "Time series: recurrences and windows proved, delay networks trained and enclosed."),
        "meanfield": (
            "meanfield",
            "Many tokens at low temperature: the limit exactly, bounds certified, phases measured.",
        ),
    },
    "Check a certificate": {
        "check": ("check", "Run the independent checker on a certificate."),
        "export-rocq": ("export_rocq", "Turn a certificate into a Rocq theorem."),
    },
    "Show": {
        "plot": ("plot", "Draw tokens layer by layer, or sequences block by block."),
        "report": ("report", "Write one page with claim, verdict, tables and pictures."),
        "cite": ("cite", "BibTeX of the papers behind a claim."),
        "completion": ("completion", "Shell completion for bash, zsh and fish."),
    },
}
#: verb -> (module of its command, one line of help)
VERBS = {verb: entry for verbs in PURPOSES.values() for verb, entry in verbs.items()}

#: verbs that multiply many small matrices: threads would spend their time waiting for each other
SMALL_MATRICES = (["demo"], ["construct"], ["train"])
#: how many threads BLAS and PyTorch begin with
THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS")

EPILOG = """\b
Exit codes: 0 yes (proved), 1 no, 2 wrong usage, 3 malformed input,
4 declined or undecided, 70 a bug, 130 interrupted.
"""


@click.group(
    cls=Verbs, verbs=VERBS, purposes=PURPOSES, epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(__version__, prog_name="exactformer")
def group() -> None:
    """Transformers in exact arithmetic: certify constructions, validate theorems, search for counterexamples."""


def main(args: list[str] | None = None) -> None:
    """Runs one command and exits with its code; no error of a user ends in a traceback."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # not where the caller ignores it
        signal.signal(signal.SIGINT, interrupt)
    if (sys.argv[1:] if args is None else args)[:1] in SMALL_MATRICES:
        for name in THREADS:
            os.environ.setdefault(name, "1")  # read when NumPy and PyTorch are imported, which a verb does
    sys.exit(code(args))


def code(args: list[str] | None = None) -> int:
    """The exit code of one command."""
    try:
        result: object = group.main(args=args, standalone_mode=False, prog_name="exactformer")
        sys.stdout.flush()  # here, where a full disk or a closed pipe can still be told from a bug
        return result if isinstance(result, int) else 0
    except click.exceptions.Abort:
        return _interrupted()
    except KeyboardInterrupt:
        return _interrupted()
    except click.exceptions.Exit as exit_:
        return exit_.exit_code
    except click.ClickException as problem:
        echo(_usage(problem), err=True)
        return problem.exit_code
    except ExactformerError as problem:
        echo(f"exactformer: {problem}", err=True)
        return problem.exit_code
    except MemoryError:
        echo("exactformer: out of memory; try a smaller instance or fewer layers", err=True)
        return 4
    except SystemExit:  # the way in which click and rich take leave of a closed pipe
        return _undelivered(BrokenPipeError())
    except OSError as problem:
        return _undelivered(problem)
    except Exception as problem:
        return _bug(problem)


def _usage(problem: click.ClickException) -> str:
    """What click says of wrong usage, as text."""
    said = io.StringIO()
    problem.show(said)
    return said.getvalue().rstrip("\n")


def _undelivered(problem: OSError) -> int:
    """The answer did not reach its reader, through no fault of the question: neither yes nor no."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python complains again when it ends
    if not isinstance(problem, BrokenPipeError):
        where = f" {problem.filename}" if problem.filename else " the answer"
        echo(f"exactformer: cannot read or write{where}: {problem.strerror or problem}", err=True)
    return 4


def _interrupted() -> int:
    echo("exactformer: interrupted; no half-written file was left", err=True)
    return 130


def _bug(problem: Exception) -> int:
    if os.environ.get("EXACTFORMER_TRACEBACK"):
        raise problem
    echo(
        f"exactformer: a bug in the program: {type(problem).__name__}: {problem}\n"
        "Please report it with the command and the input; EXACTFORMER_TRACEBACK=1 shows where it happened.",
        err=True,
    )
    return 70


if __name__ == "__main__":
    main()
