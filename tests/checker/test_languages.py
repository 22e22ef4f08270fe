"""The claims `recognition` and `no-recogniser`: true ones accepted by both checkers, forged ones only if they are true."""

from __future__ import annotations

import copy
import json
import random
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from checker_kit import CORPUS, Lines, opened, sealed
from language_truth import recognition
from recogniser_kit import random_recogniser, words

from exactformer.errors import Declined
from exactformer.languages.automaton import Automaton
from exactformer.languages.literature import dyck_1
from exactformer.languages.prove import extract, prove
from exactformer.languages.recogniser import Polynomial, Ratio, Recogniser
from exactformer.languages.recognition_claim import certify_up_to
from exactformer.model.heads import MASKS, TIES, Head, MultiHeadAttention, MultiHeadBlock
from exactformer.model.matrix import Scalar, Zero
from proofs_check import Limits, check

NODE = shutil.which("node")
JS = CORPUS.parents[0] / "js" / "check.js"


def by_javascript(paths: list[Path]) -> list[str]:
    """The verdicts of the second checker."""
    if NODE is None:
        pytest.skip("node is not installed: the JavaScript checker is not tested")
    found = []
    for k in range(0, len(paths), 100):
        done = subprocess.run([NODE, str(JS), "--json", *map(str, paths[k : k + 100])], capture_output=True, text=True)
        found += [json.loads(line)["verdict"] for line in done.stdout.splitlines()]
    assert len(found) == len(paths)
    return found


def proofs(seeds: range, folder: Path) -> list[tuple[Recogniser, Automaton, Path]]:
    """Random recognisers with all masks and tie rules, their languages, and certificates for all lengths."""
    found = []
    for seed in seeds:
        r = random_recogniser(seed, most_blocks=2, ties=TIES)
        path = folder / f"{seed}.jsonl"
        try:
            target = extract(r, most=300)
            prove(r, target, most=600).certify(path)
        except Declined:
            continue
        found.append((r, target, path))
    return found


def test_random_recognisers_are_accepted_by_both(tmp_path: Path) -> None:
    cases = proofs(range(500, 560), tmp_path)
    assert len(cases) >= 30
    assert {check(str(path)).verdict for _, _, path in cases} == {"accepted"}
    assert set(by_javascript([path for _, _, path in cases])) == {"accepted"}


def test_another_language_is_never_accepted(tmp_path: Path) -> None:
    """The tables and states of a proof, with another automaton that differs on a short word."""
    paths = []
    for r, target, path in proofs(range(600, 640), tmp_path):
        lines = opened(path.read_bytes())
        for q in range(len(target)):
            forged = copy.deepcopy(lines)
            forged[1]["accepting"] = sorted(target.accepting ^ {q})
            other = Automaton(target.letters, target.next, target.accepting ^ {q}, target.start)
            assert prove(r, other, up_to=8).counterexample is not None
            paths.append(tmp_path / f"{path.stem}-{q}.json")
            paths[-1].write_bytes(sealed(forged))
    assert {check(str(path)).verdict for path in paths} == {"rejected"}
    assert set(by_javascript(paths)) == {"rejected"}


def mutated(lines: Lines, rng: random.Random) -> Lines:
    """One to three edits of tables, states, automaton or recogniser."""
    found = copy.deepcopy(lines)
    for _ in range(rng.randint(1, 3)):
        rng.choice([mutate_automaton, mutate_model, mutate_table, mutate_table, mutate_state, mutate_state])(found, rng)
    states = [line for line in found if "state" in line]
    for k, line in enumerate(states):
        line["state"] = k
    found[0]["product"] = len(states)
    return found


def mutate_automaton(lines: Lines, rng: random.Random) -> None:
    row = rng.choice(lines[1]["next"])
    row[rng.randrange(len(row))] = rng.randrange(len(lines[1]["next"]))


def mutate_model(lines: Lines, rng: random.Random) -> None:
    heads = [
        h for line in lines[3:] if "feed_forward" in line for h in (line["self_attention"] or {"heads": []})["heads"]
    ]
    if heads and rng.random() < 0.7:
        head = rng.choice(heads)
        head[rng.choice(["mask", "ties"])] = rng.choice(["first", "last", "all", *MASKS])
    else:
        lines[2]["threshold"] = rng.choice(["0", "1", "-1", "1/2"])


def mutate_table(lines: Lines, rng: random.Random) -> None:
    tables = [line for line in lines if "guessed" in line]
    if not tables:
        return
    table, key = rng.choice(tables), rng.choice(["queries", "values", "pairs", "summaries", "guessed"])
    if key == "guessed":
        table[key] = max(0, table[key] + rng.choice([-1, 1]))
    elif table[key]:
        rng.choice([lambda x: x.pop(), lambda x: x.pop(rng.randrange(len(x))), lambda x: rng.shuffle(x)])(table[key])


def mutate_state(lines: Lines, rng: random.Random) -> None:
    states = [k for k, line in enumerate(lines) if "state" in line]
    line = lines[rng.choice(states)]
    change: Any = rng.choice(["drop", "out", "automaton", "residue", "heads"])
    if change == "drop" and len(states) > 1:
        lines.remove(line)
    elif change == "out":
        line["out"] = rng.choice(["accept", "reject", "zero", None])
    elif change == "heads":
        line["heads"] = copy.deepcopy(lines[rng.choice(states)].get("heads", line["heads"]))
    elif change != "drop":
        line[change] = rng.randrange(3)


def campaign(seeds: range, times: int, folder: Path) -> dict[str, int]:
    """Mutants of certificates: what either checker accepts is true, and both say the same."""
    rng, paths, cases = random.Random(seeds.start), [], []
    for _, _, path in proofs(seeds, folder):
        lines = opened(path.read_bytes())
        for k in range(times):
            cases.append(mutated(lines, rng))
            paths.append(folder / f"{path.stem}-{k}.json")
            paths[-1].write_bytes(sealed(cases[-1]))
    found = [check(str(path)).verdict for path in paths]
    for lines, verdict, second in zip(cases, found, by_javascript(paths), strict=True):
        assert verdict == second
        assert verdict != "accepted" or recognition(lines)
    return {verdict: found.count(verdict) for verdict in set(found)}


def test_mutants_are_accepted_only_if_true(tmp_path: Path) -> None:
    counts = campaign(range(700, 720), 12, tmp_path)
    assert min(counts[verdict] for verdict in ("accepted", "rejected", "malformed")) > 5


def up_to_certificate(r: Recogniser, target: Automaton, most: int, path: Path) -> Path:
    """A certificate of scope upto, true or not."""
    certify_up_to(r, target, most, path)
    return path


def test_words_up_to_a_length_have_the_verdicts_of_the_definition(tmp_path: Path) -> None:
    """Along prefixes where that is sound, one by one where it is not: refused as soon as one word is changed."""
    paths, wanted, rng = [], [], random.Random(1)
    above, below = Polynomial({(1, 0): 1, (0, 0): 2}), Polynomial({(1, 0): 1, (0, 0): 1})
    ratios = [
        Ratio(0, above, below),
        Ratio(0, above, Polynomial({(0, 1): 1})),
        Ratio(0, Polynomial({(0, 1): 1}), below),
    ]
    for seed in range(48):
        r = random_recogniser(seed, masks=("before", "upto") if seed % 4 else MASKS, ties=TIES, most_blocks=2)
        more = {"begin": r.begin, "at": "last" if seed % 5 else "first", "end": None if seed % 3 else r.end}
        features = [*r.features, *[rng.choice(ratios)] * (seed % 2)]
        r = Recogniser("ab", r.tokens, r.blocks, r.accept, r.threshold, features=features, zero="rejected", **more)
        members = {w for w in words("ab", 4) if r.accepts(w)}
        for k, language in enumerate((members, members ^ {rng.choice(words("ab", 4))})):
            target = Automaton.of("ab", (), lambda w, a: (*w, a)[:5], lambda w, known=language: w in known)
            paths.append(up_to_certificate(r, target, 4, tmp_path / f"{seed}-{k}.jsonl"))
            wanted.append(("accepted", "rejected")[k])
    assert [check(str(path)).verdict for path in paths] == wanted
    assert by_javascript(paths) == wanted


def test_a_feature_that_reads_the_length_is_not_shared(tmp_path: Path) -> None:
    """Every position looks at the first one, which holds N - 3: words of four letters and more are accepted."""
    first = Head(Scalar(1), Zero(), Zero(), "before", "first")
    longer = Ratio(0, Polynomial({(0, 0): -3, (0, 1): 1}), Polynomial({(0, 0): 1}))
    block = MultiHeadBlock(None, MultiHeadAttention(0, [first]))
    r = Recogniser("ab", [[0], [0]], [block], [1], features=[longer], zero="rejected")
    target = Automaton.of("ab", 0, lambda n, a: min(n + 1, 4), lambda n: n == 4)
    path = up_to_certificate(r, target, 6, tmp_path / "c.jsonl")
    assert check(str(path)).verdict == "accepted"
    assert by_javascript([path]) == ["accepted"]


def test_prefixes_make_the_check_of_long_words_shorter(tmp_path: Path) -> None:
    """One column per letter in place of a table per word: the operations tell."""
    spent = []
    for end in (None, [0] * 5):
        r = dyck_1()
        r = Recogniser("()", r.tokens, r.blocks, r.accept, end=end, features=r.features, zero="rejected")
        members = {w for w in words("()", 6) if r.accepts(w)}
        target = Automaton.of("()", (), lambda w, a: (*w, a)[:7], lambda w, known=members: w in known)
        path = up_to_certificate(r, target, 6, tmp_path / "c.jsonl")
        spent.append(operations_needed(path))
    assert 3 * spent[0] < 2 * spent[1]


def operations_needed(path: Path) -> int:
    """The limit of operations at which a certificate passes, up to a factor of 1.3."""
    limit = 100_000
    while check(str(path), None, Limits(operations=limit)).verdict == "declined":
        limit = limit * 13 // 10
    assert check(str(path), None, Limits(operations=limit)).verdict == "accepted"
    return limit


@pytest.mark.slow
def test_many_mutants_are_accepted_only_if_true(tmp_path: Path) -> None:
    counts = campaign(range(1000, 1300), 30, tmp_path)
    assert sum(counts.values()) > 4000
