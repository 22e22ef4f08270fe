"""Tests of `exactformer.io.json_lines`."""

from __future__ import annotations

import io
import json
import os
import sys
import zipfile
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from exactformer.arithmetic.algebraic import from_text
from exactformer.errors import Declined, InvalidInput, Malformed, NotExact
from exactformer.io import json_lines
from exactformer.io.json_lines import (
    DEPTH,
    LineWriter,
    read_arrays,
    read_bytes,
    read_lines,
    replacing,
    strict_json,
    verify_header,
    write_atomically,
)
from exactformer.model.dataset import Dataset
from exactformer.model.tokens import Tokens
from exactformer.model.transformer import Block, Transformer

F = Fraction


def saved(path: Path, content: Any) -> Path:
    path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
    return path


# ---------------------------------------------------------------- JSON


@pytest.mark.parametrize("opening", ["[", '{"a":', '[{"b":'])
def test_brackets_nest_up_to_a_depth(opening: str) -> None:
    closing = opening.translate(str.maketrans("[{", "]}", '":ab'))[::-1]
    levels = DEPTH // len(closing)
    assert strict_json(opening * levels + "1" + closing * levels, "here")
    with pytest.raises(Malformed, match="here: expected JSON, got brackets nested deeper than 64"):
        strict_json("[" + opening * levels + "1" + closing * levels + "]", "here")


def test_json_lines_in_place_of_one_value_are_named() -> None:
    with pytest.raises(Malformed, match="expected one JSON value, got another one at line 2; certificates"):
        strict_json('{"a": 1}\n{"b": 2}\n', "here")
    with pytest.raises(Malformed, match='expected "exactformer": "tokens", got no such key; add it'):
        verify_header({"tokens": []}, "tokens", "here")


def test_brackets_beside_each_other_or_in_text_do_not_nest() -> None:
    for depth in (DEPTH - 1, DEPTH):
        twice = "[" + ",".join(["[" * depth + "]" * depth] * 2) + "]"
        if depth < DEPTH:
            assert len(strict_json(twice, "here")) == 2
        else:
            with pytest.raises(Malformed, match="deeper than 64"):
                strict_json(twice, "here")
    many = [[[k]] for k in range(200)]
    assert strict_json(json.dumps(many), "here") == many
    text = {"a": "[" * 300, "b": '\\"' + "{" * 300}
    assert strict_json(json.dumps(text), "here") == text
    assert strict_json(json.dumps({"a": "[" * 300}).encode(), "here") == {"a": "[" * 300}
    for wrong in ("[" * 100, "]" * 100 + "[" * 100, '{"a": 1, "b": 2, "b": 3}', "{'a': 1}", "[1,]", "1 2", b"\xff"):
        with pytest.raises(Malformed, match=r"^here: expected JSON"):
            strict_json(wrong, "here")
    with pytest.raises(Malformed, match="the key 'b' twice"):
        strict_json('{"a": {"b": 1, "c": 2, "b": 3}}', "here")


def test_headers_say_what_a_file_is_and_of_which_version() -> None:
    for form, versions in (("tokens", [[1, 0]]), ("dataset", [[1, 0]]), ("transformer", [[1, 0], [1, 1]])):
        for version in versions:
            verify_header({"exactformer": form, "version": version}, form, "x")
    verify_header({"exactformer": "certificate", "version": [1, 1]}, "certificate", "x")
    for got, hint in (
        ("dataset", "this is a data set of sequences, for construct and run"),
        ("transformer", "this is a transformer, for run and export"),
        ("certificate", "this is a certificate, for check, report, run and plot"),
        ("system", "this is a system V, Q, K, for meanfield"),
    ):
        with pytest.raises(Malformed, match=f"""^x: expected "exactformer": "tokens", got '{got}'; {hint}$"""):
            verify_header({"exactformer": got, "version": [1, 0]}, "tokens", "x")
    for got in ("other", None, 5, ["tokens"]):
        with pytest.raises(Malformed, match=r"got [^;]*$"):
            verify_header({"exactformer": got}, "tokens", "x")
    with pytest.raises(Malformed, match=r"version \[1, 0\] or \[1, 1\] or \[1, 2\], got \[1, 3\]; a newer file"):
        verify_header({"exactformer": "certificate", "version": [1, 3]}, "certificate", "x")


def test_lines_are_objects_and_their_place_is_told(tmp_path: Path) -> None:
    with LineWriter(tmp_path / "f") as out:
        out.write({"a": F(1, 2), "b": [1, F(3)], "c": "é"})
        out.write({"long": F(10**5000)})
    assert (tmp_path / "f").read_bytes().splitlines()[0] == b'{"a":"1/2","b":[1,"3"],"c":"\\u00e9"}'
    assert list(read_lines(tmp_path / "f"))[1] == {"long": "1" + "0" * 5000}
    for bad, said in (("[1]\n", "line 1: expected a JSON object, got list"), ("{}\n5\n", "line 2: .* got int")):
        with pytest.raises(Malformed, match=said):
            list(read_lines(saved(tmp_path / "g", bad)))
    with pytest.raises(Malformed, match="cut short"):
        list(read_lines(saved(tmp_path / "g", "")))
    with pytest.raises(InvalidInput, match=r"cannot read .*absent: .*; check the path"):
        read_bytes(tmp_path / "absent")


def test_the_standard_input_is_read_as_a_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    content = io.BytesIO()
    np.savez(content, tokens=np.array([[1.0], [2.0]]), offsets=np.array([0, 1, 2]), labels=np.array(["a", "b"]))
    for data, read, wanted in (
        (b"x1,x2\n1,2\n", Tokens.read, Tokens([[1, 2]])),
        (b"sequence,label,x1\ns,a,1\nt,b,2\n", Dataset.read, Dataset.of([[[1]], [[2]]], labels=["a", "b"])),
        (content.getvalue(), Dataset.read, Dataset.of([[[1]], [[2]]], labels=["a", "b"])),
        (b' {"exactformer":"tokens","version":[1,0],"tokens":[[7]]}', Tokens.read, Tokens([[7]])),
    ):
        monkeypatch.setattr(json_lines, "_standard_input", lambda data=data: data)
        assert read("-") == wanted
    Transformer(1, [Block()]).save(tmp_path / "t.jsonl")
    monkeypatch.setattr(json_lines, "_standard_input", (tmp_path / "t.jsonl").read_bytes)
    assert Transformer.read("-") == Transformer(1, [Block()])
    monkeypatch.setattr(json_lines, "_standard_input", lambda: b"sequence,label,x1\ns,a,q\n")
    with pytest.raises(InvalidInput, match=r"^standard input, line 2, column 3"):
        Dataset.read("-")


def test_an_error_while_writing_leaves_no_file(tmp_path: Path) -> None:
    with pytest.raises(NotExact), LineWriter(tmp_path / "x.jsonl") as out:
        out.write({"a": from_text("sqrt(2)")})
    assert list(tmp_path.iterdir()) == []


# ---------------------------------------------------------------- writing


def test_writing_through_a_link_keeps_the_link(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_bytes(b"old")
    link.symlink_to(target)
    write_atomically(link, b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["link", "target"]
    with pytest.raises(InvalidInput, match="folder that exists"):
        write_atomically(tmp_path / "absent" / "file", b"")


def test_archives_are_declined_by_the_size_of_what_they_hold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.npz"
    np.savez_compressed(path, tokens=np.zeros((1000, 10)), offsets=np.array([0, 1000]))
    monkeypatch.setenv("EXACTFORMER_MAX_MEMORY", "200000")
    with pytest.raises(Declined, match=r"allowed 200,000"):
        Dataset.read(path, labelled=False)
    assert set(read_arrays(path, "arrays")) == {"tokens", "offsets"}
    monkeypatch.setenv("EXACTFORMER_MAX_MEMORY", "2e5")
    with pytest.raises(InvalidInput, match="EXACTFORMER_MAX_MEMORY: expected a number of bytes"):
        Dataset.read(path, labelled=False)


def written(path: Path) -> bytes:
    with LineWriter(path) as out:
        out.write({"exactformer": "x"})
        out.write({"y": F(1, 2)})
    return path.read_bytes()


# ---------------------------------------------------------------- files


@pytest.mark.parametrize("more", [b"\n", b" ", b"{}\n", b"x"])
def test_nothing_comes_after_the_end_line(tmp_path: Path, more: bytes) -> None:
    path = tmp_path / "f"
    content = written(path)
    assert list(read_lines(path)) == [{"exactformer": "x"}, {"y": "1/2"}]
    path.write_bytes(content + more)
    with pytest.raises(Malformed, match="nothing after the end line"):
        list(read_lines(path))


def test_a_changed_or_cut_file_is_malformed(tmp_path: Path) -> None:
    path = tmp_path / "f"
    content = written(path)
    for bad in (
        content.replace(b"1/2", b"1/3"),
        content[: content.rindex(b"{")],
        content.replace(b'"end":true', b'"end":1'),
    ):
        path.write_bytes(bad)
        with pytest.raises(Malformed):
            list(read_lines(path))
    with pytest.raises(InvalidInput):
        list(read_lines(tmp_path / "absent"))


@pytest.mark.parametrize("text", ['{"a": 1, "a": 2}', "NaN", "[Infinity]", "{", "[-Infinity]"])
def test_json_is_read_strictly(text: str) -> None:
    with pytest.raises(Malformed):
        strict_json(text, "here")


def test_decimals_and_long_integers_are_read_as_they_are_written() -> None:
    assert strict_json("[0.10, 1e3, 7]", "here") == ["0.10", "1e3", 7]
    usual = sys.get_int_max_str_digits()  # a check of long numbers in the same process raises Python's cap
    sys.set_int_max_str_digits(sys.int_info.default_max_str_digits)
    try:
        assert strict_json(f"[{'1' * 5000}, 12]", "here") == ["1" * 5000, 12]
    finally:
        sys.set_int_max_str_digits(usual)


def test_an_exception_leaves_no_file(tmp_path: Path) -> None:
    def interrupted() -> None:
        with LineWriter(tmp_path / "f") as out:
            out.write({"a": 1 // len(list(tmp_path.glob("nothing")))})

    with pytest.raises(ZeroDivisionError):
        interrupted()
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(InvalidInput):
        LineWriter(tmp_path / "g").write({})


@pytest.mark.parametrize("problem", [KeyboardInterrupt, SystemExit, ValueError])
def test_a_file_that_is_not_finished_leaves_nothing(problem: type[BaseException], tmp_path: Path) -> None:
    (tmp_path / "kept").write_bytes(b"old")

    def write() -> None:
        with replacing(tmp_path / "kept") as file:
            file.write(b"new")
            raise problem

    with pytest.raises(problem):
        write()
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("kept", b"old")]


def test_an_array_that_says_to_be_larger_than_any_memory(tmp_path: Path) -> None:
    path, head = tmp_path / "a.npz", io.BytesIO()
    np.lib.format.write_array_header_1_0(head, {"descr": "<f4", "fortran_order": False, "shape": (2**55,)})
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("a.npy", head.getvalue() + bytes(16))
    with pytest.raises(Malformed, match="larger than the memory"):
        read_arrays(path, "arrays")
    path.write_text("no arrays")
    with pytest.raises(Malformed, match="nothing is unpickled"):
        read_arrays(path, "arrays")


def test_an_interrupt_just_after_the_rename_is_an_interrupt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    renamed = os.replace

    def interrupted(source: Path, target: Path) -> None:
        renamed(source, target)
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt), json_lines.replacing(tmp_path / "a.json") as file:
        file.write(b"{}")
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]
