"""Files at their limits, the kinds of each error, float weights in every order, and numbers on pages."""

from __future__ import annotations

import io
import json
import zipfile
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import exactformer as ef
from exactformer.arithmetic.algebraic import from_text
from exactformer.arithmetic.state import State
from exactformer.errors import InvalidInput, Malformed
from exactformer.model import json_lines
from exactformer.model.attention import SelfAttention
from exactformer.model.dataset import Dataset
from exactformer.model.delimited import is_name, read_table
from exactformer.model.feed_forward import FeedForward
from exactformer.model.float_weights import network_of, read_network
from exactformer.model.html import DIGITS, FOLD, Markup, cell, download, html, join, number, point, short, table
from exactformer.model.json_lines import DEPTH, LineWriter, read_bytes, read_lines, strict_json, verify_header
from exactformer.model.matrix import Dense, Outer, Scalar, Zero
from exactformer.model.plain_text import visible
from exactformer.model.temperatures import Temperatures
from exactformer.model.tokens import Tokens
from exactformer.model.transformer import Block, Transformer
from exactformer.model.transformer_files import attention_header, read_temperatures

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
    with pytest.raises(Malformed, match=r"version \[1, 0\] or \[1, 1\], got \[1, 2\]; a newer file"):
        verify_header({"exactformer": "certificate", "version": [1, 2]}, "certificate", "x")


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
    Transformer(1, [Block()]).write(tmp_path / "t.jsonl")
    monkeypatch.setattr(json_lines, "_standard_input", (tmp_path / "t.jsonl").read_bytes)
    assert Transformer.read("-") == Transformer(1, [Block()])
    monkeypatch.setattr(json_lines, "_standard_input", lambda: b"sequence,label,x1\ns,a,q\n")
    with pytest.raises(InvalidInput, match=r"^standard input, line 2, column 3"):
        Dataset.read("-")


# ---------------------------------------------------------------- data sets


HEADER = {"exactformer": "dataset", "version": [1, 0]}


@pytest.mark.parametrize(
    ("content", "error", "said"),
    [
        ([1], Malformed, "expected a data set"),
        ({**HEADER}, Malformed, "the keys exactformer, version and sequences"),
        ({**HEADER, "sequences": {}}, Malformed, "the keys exactformer, version and sequences"),
        ({**HEADER, "sequences": [], "more": 1}, Malformed, "'more'"),
        ({**HEADER, "sequences": []}, InvalidInput, "at least one sequence, got none"),
        ({**HEADER, "sequences": [5]}, Malformed, r"sequences\[0\]: expected the keys tokens and label"),
        ({**HEADER, "sequences": [{"tokens": [[1]], "label": 3}]}, Malformed, r"sequences\[0\]\.label: .*got 3"),
        ({**HEADER, "sequences": [{"tokens": [[1]], "label": None}]}, Malformed, r"\.label: .*got None"),
        ({**HEADER, "sequences": [{"tokens": [1], "label": "a"}]}, InvalidInput, r"\[0\]\.tokens: .*got \[1\]"),
        (
            {**HEADER, "sequences": [{"tokens": [[1], 2], "label": "a"}]},
            InvalidInput,
            r"\[0\]\.tokens: expected a nonempty",
        ),
        ({**HEADER, "sequences": [{"tokens": [[]], "label": "a"}]}, InvalidInput, "at least one coordinates"),
        ({**HEADER, "sequences": [{"tokens": [], "label": "a"}]}, InvalidInput, "got an empty list"),
        (
            {**HEADER, "sequences": [{"tokens": [[1], [2, 3]], "label": "a"}]},
            InvalidInput,
            r"sequences\[0\]\.tokens\[1\]: expected 1 coordinates as in the first point, got 2",
        ),
        (
            {**HEADER, "sequences": [{"tokens": [[1]], "targets": [[1]]}, {"tokens": [[1]], "label": "a"}]},
            Malformed,
            r"sequences\[1\]: expected the keys tokens and targets as in sequence 0",
        ),
        (
            {**HEADER, "sequences": [{"tokens": [[1]], "targets": [[1], ["y"]]}]},
            InvalidInput,
            r"sequences\[0\]\.targets\[1\]\[0\]",
        ),
    ],
)
def test_data_sets_in_json_are_refused_with_their_place(
    content: Any, error: type[Exception], said: str, tmp_path: Path
) -> None:
    with pytest.raises(error, match=said) as caught:
        Dataset.read(saved(tmp_path / "d.json", content))
    assert type(caught.value) is error
    assert str(caught.value).startswith(str(tmp_path / "d.json"))


@pytest.mark.parametrize(
    ("arrays", "error", "said"),
    [
        ({"tokens": [[1]], "offsets": [0.0, 1.0], "labels": ["a"]}, InvalidInput, "expected integer offsets"),
        ({"tokens": [[1]], "offsets": [[0, 1]], "labels": ["a"]}, InvalidInput, "expected integer offsets"),
        ({"tokens": [[1]], "offsets": [0], "labels": []}, InvalidInput, "expected integer offsets"),
        ({"tokens": [["1"]], "offsets": [0, 1], "labels": ["a"]}, InvalidInput, "2-dimensional array of numbers"),
        ({"tokens": [[1]], "offsets": [0, 1]}, Malformed, "'target_offsets', 'targets', 'tokens'"),
        ({"tokens": [[1]], "offsets": [0, 1], "targets": [[1]]}, Malformed, "expected the arrays"),
        ({"tokens": [[1]], "offsets": [0, 1], "labels": ["a"], "more": [1]}, Malformed, "'labels'.*'more'"),
        (
            {"tokens": [[1]], "offsets": [0, 1], "targets": [1], "target_offsets": [0, 1]},
            InvalidInput,
            "targets: expected a 2-dimensional",
        ),
    ],
)
def test_archives_are_refused_with_their_array(
    arrays: dict[str, Any], error: type[Exception], said: str, tmp_path: Path
) -> None:
    np.savez(tmp_path / "d.npz", **{name: np.array(value) for name, value in arrays.items()})
    with pytest.raises(error, match=said) as caught:
        Dataset.read(tmp_path / "d.npz")
    assert type(caught.value) is error


def test_archives_of_tokens_alone_have_no_labels_where_none_is_needed(tmp_path: Path) -> None:
    np.savez(tmp_path / "d.npz", tokens=np.array([[1], [2]]), offsets=np.array([0, 1, 2], dtype=np.uint8))
    for labelled in (None, False):
        assert Dataset.read(tmp_path / "d.npz", labelled=labelled) == Dataset.of([[[1]], [[2]]])
    np.savez(tmp_path / "e.npz", tokens=np.array([[1], [2]]), offsets=np.array([0, 1, 2]), labels=np.array([7, 8]))
    assert Dataset.read(tmp_path / "e.npz").values == {"7": 7, "8": 8}
    np.save(tmp_path / "t.npy", np.array([[1.0]]))
    (tmp_path / "t.npz").write_bytes((tmp_path / "t.npy").read_bytes())
    with pytest.raises(Malformed, match="got a single array; these are tokens"):
        Dataset.read(tmp_path / "t.npz")
    with pytest.raises(Malformed, match=r"got an archive of \['offsets', 'tokens'\]"):
        Tokens.read(tmp_path / "d.npz")
    for wrong in (np.zeros(3), np.array([["a"]]), np.zeros((1, 1, 1))):
        np.save(tmp_path / "w.npy", wrong)
        with pytest.raises(InvalidInput, match="2-dimensional array of numbers"):
            Tokens.read(tmp_path / "w.npy")


def test_frames_may_have_columns_of_several_kinds() -> None:
    frame = pd.DataFrame({"sequence": [2, 1, 2], "label": [True, False, True], "x1": ["1/3", "2", "sqrt(4)"]})
    data = Dataset.of(frame.assign(x2=[0.5, 1.0, 2.0]))
    assert (data.names, data.labels) == (["2", "1"], ["True", "False"])
    assert data.values == {"True": True, "False": False}
    assert [s.tokens.rows() for s in data] == [[(F(1, 3), F(1, 2)), (2, 2)], [(2, 1)]]
    with pytest.raises(InvalidInput, match="DataFrame, row 1, column x2: expected a finite number, got inf"):
        Dataset.of(pd.DataFrame({"sequence": ["a", "a"], "x1": [1.0, 2.0], "x2": [1.0, np.inf]}))
    with pytest.raises(InvalidInput, match=r"DataFrame, row 2, column 1 .sequence.: expected the name"):
        Dataset.of(pd.DataFrame({"sequence": ["a", "a", None], "x1": [1, 2, 3]}))
    with pytest.raises(InvalidInput, match="DataFrame: expected at least one row"):
        Dataset.of(pd.DataFrame({"sequence": [], "x1": []}))
    with pytest.raises(InvalidInput, match=r"DataFrame, row 2, column 3 \(label\): .*'p'.*'a'.*'q'"):
        Dataset.of(pd.DataFrame({"sequence": list("aba"), "x1": [1, 2, 3], "label": list("prq")}))


@pytest.mark.parametrize(
    ("text", "separator", "rows"),
    [
        ("1|2\n3|4\n", "|", [["1", "2"], ["3", "4"]]),
        ("1;2,5\n", ";", [["1", "2,5"]]),
        ("a\tb\n1\t2", "\t", [["a", "b"], ["1", "2"]]),
        ("a b\n1 2\n", " ", [["a", "b"], ["1", "2"]]),
        ("1\n2\n", ",", [["1"], ["2"]]),
        ("a b\nc d\n", ",", [["a b"], ["c d"]]),
        ("\n , \n 1 , 2 \n", ",", [["1", "2"]]),
        ('"1","a ""b"""\n', ",", [["1", 'a "b"']]),
        ("-1e3 +2.5\n1/2 .5\n", " ", [["-1e3", "+2.5"], ["1/2", ".5"]]),
        ("", ",", []),
    ],
)
def test_tables_are_separated_by_what_separates_them(text: str, separator: str, rows: list[list[str]]) -> None:
    found = read_table(text.encode(), "t")
    assert (found.separator, found.rows) == (separator, rows)
    assert read_table(b"\xef\xbb\xbf" + text.encode(), "t").rows == rows
    with pytest.raises(Malformed, match="t, line 2: expected CSV text in UTF-8"):
        read_table(b"a,b\n\xff,1\n", "t")


def test_names_of_columns_are_no_values() -> None:
    for name in ("x", "alpha", "_a", "x1", "pix", "nano", "Einfluss", "sqrt", "cosine"):
        assert is_name(name), name
    for value in ("1", "", "-x", "nan", "NA", "Inf", "infinity", "sqrt(2)", "cos (pi/5)", "pi", "pi/2", "true", "None"):
        assert not is_name(value), value


def test_tokens_of_tables_are_refused_with_line_and_column(tmp_path: Path) -> None:
    for text, said in (
        ("x,y\n1,2\n3\n", "line 3: expected 2 fields as in the first row, got 1; .*separated by commas"),
        ("1;2\n3;4;5\n", "line 2: expected 2 fields as in the first row, got 3; .*separated by semicolons"),
        ("x,y\n1,\n", r"line 2, column 2 \(y\): expected a number, got an empty field"),
        ("1;x\n", "line 1, column 2: "),
        ("x,y\n", "expected at least one row of numbers, got none"),
        ("", "expected at least one row of numbers, got none"),
        ("label,x\na,1\n", "line 1: expected tokens, one a row, got the columns label,x of a data set"),
        ("1,5;2\n1.5;2\n", "line 2, column 1: got the decimal point of '1.5', but .*line 1, column 1 has"),
        ("1,5,5;2\n", "expected a number such as 1,5 or 1.5, got '1,5,5'"),
    ):
        with pytest.raises(InvalidInput, match=said):
            Tokens.read(saved(tmp_path / "t.csv", text))


# ---------------------------------------------------------------- networks of floats


def test_layers_of_a_program_are_paired_into_blocks() -> None:
    ff = {"U": [[1.0]], "b": [0.5], "W": [[2.0]]}
    sa = {"V": [[3.0]]}
    for kinds, blocks in (("fa", 1), ("af", 2), ("ff", 2), ("aa", 2), ("faf", 2), ("ffa", 2), ("faa", 2), ("afa", 2)):
        layers = {
            f"layers.{2 * k}.{name}": value
            for k, kind in enumerate(kinds)
            for name, value in (ff if kind == "f" else sa).items()
        }
        network, x = network_of(layers), F(1)
        for kind in kinds:
            x = 2 * (x + F(1, 2)) if kind == "f" else 3 * x
        assert len(network) == blocks
        assert network([[1]]).rows() == [(x,)]


def test_blocks_that_are_left_out_are_the_identity_and_numbers_zero() -> None:
    network = network_of(
        {"block2.V": [[0.1]], "block0.U": [[1, 2]], "block0.b": [0], "block0.W": [[1], [3]]}
        | {"block2.V": [[2.0, 0.0], [0.0, 0.25]]}
    )
    assert network.blocks[1] == Block()
    assert network.blocks[0] == Block(FeedForward(0, [[1, 2]], [0], [[1], [3]]))
    assert network.blocks[2] == Block(None, SelfAttention(0, [[2, 0], [0, "1/4"]], Zero(), Zero()))
    full = network_of({f"block0.{name}": [[k + 0.5]] for k, name in enumerate("VQK")} | {"block0.rho": np.float64(3)})
    assert full.blocks[0].self_attention == SelfAttention(3, [["1/2"]], [["3/2"]], [["5/2"]])
    assert network_of({"block0.V": np.array([[0.1]], dtype=np.float32)})([[1]]).rows() == [(F(float(np.float32(0.1))),)]
    for wrong, said in (
        ({"block0.U": [[1.0]], "block0.W": [[1.0]]}, "here, block 0: expected U, W, b together, got U, W"),
        ({"block1.rho": 1.0}, "here, block 1: expected V together, got rho"),
        ({"block0.V": [[1.0, 2.0]]}, "here: block 0 self-attention V: expected a 2-by-2 matrix"),
        ({"block0.V": [[np.inf]]}, "here: block0.V: expected finite numbers"),
        ({"block0.v": [[1.0]]}, "here: expected weights named .*, got 'block0.v'"),
        ({"block0.V": [[1.0]], "block0.rho": [1.0, 2.0]}, "rho: expected one number, got 2"),
    ):
        with pytest.raises(InvalidInput, match=said):
            network_of(wrong, "here")


@pytest.mark.parametrize(("number_of_type", "dtype"), [(7, "<f4"), (8, "<f8"), (6, "<i4")])
def test_programs_of_either_precision_are_read(number_of_type: int, dtype: str, tmp_path: Path) -> None:
    meta = {"dtype": number_of_type, "sizes": [{"as_int": 1}, {"as_int": 2}], "strides": [{"as_int": 9}, {"as_int": 1}]}
    entries = {
        "layers.0.U": {"path_name": "w", "use_pickle": False, "tensor_meta": meta},
        "layers.0.b": {
            "path_name": "b",
            "use_pickle": False,
            "tensor_meta": {"dtype": number_of_type, "sizes": [{"as_int": 1}], "strides": [{"as_int": 1}]},
        },
        "layers.0.W": {
            "path_name": "w",
            "use_pickle": False,
            "tensor_meta": {**meta, "sizes": meta["sizes"][::-1], "strides": [{"as_int": 1}, {"as_int": 1}]},
        },
    }
    path = tmp_path / "p.pt"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("q/data/weights/model_weights_config.json", json.dumps({"config": entries}))
        archive.writestr("q/data/weights/w", np.array([1, 2], dtype=dtype).tobytes())
        archive.writestr("q/data/weights/b", np.array([3], dtype=dtype).tobytes())
    if number_of_type == 6:
        with pytest.raises(Malformed, match=r"expected a torch.export program or a state dict"):
            read_network(path)
        return
    assert read_network(path) == Transformer(2, [Block(FeedForward(0, [[1, 2]], [3], [[1], [2]]))])


def test_networks_are_read_by_the_ending_of_their_file(tmp_path: Path) -> None:
    network = Transformer(1, [Block(None, SelfAttention(0, [["1/2"]], Zero(), Zero()))])
    np.savez(tmp_path / "W.NPZ.npz", **{"block0.V": np.array([[0.5]]), "dim": np.array(1)})
    network.write(tmp_path / "n.jsonl")
    assert read_network(tmp_path / "W.NPZ.npz") == read_network(tmp_path / "n.jsonl") == network
    np.save(tmp_path / "a.npy", np.array([[1.0]]))
    (tmp_path / "a.npz").write_bytes((tmp_path / "a.npy").read_bytes())
    with pytest.raises(Malformed, match=r"expected named weights .NPZ., got one array"):
        read_network(tmp_path / "a.npz")
    np.savez(tmp_path / "b.npz", V=np.array([[0.5]]))
    with pytest.raises(Malformed, match="expected weights named"):
        read_network(tmp_path / "b.npz")


# ---------------------------------------------------------------- transformer files


def test_headers_of_transformers_say_which_attention() -> None:
    def network(*betas: Any, uniform: bool = False) -> Transformer:
        Q = Zero() if uniform else Scalar(1)
        return Transformer(1, [Block(), *(Block(None, SelfAttention(0, Scalar(1), Q, Scalar(1), b)) for b in betas)])

    assert attention_header(network()) == {"version": [1, 0], "attention": "hardmax"}
    assert attention_header(network(None, None)) == {"version": [1, 0], "attention": "hardmax"}
    assert attention_header(network(1, 2, uniform=True)) == {"version": [1, 0], "attention": "softmax"}
    wanted = {"version": [1, 1], "attention": "softmax", "beta": ["2/3", "2/3"]}
    assert attention_header(network("2/3", "2/3")) == wanted
    mixed = [*network("2/3", uniform=True), *network("2/3")]
    assert attention_header(Transformer(1, mixed)) == wanted
    for betas in ((1, 2), (1, None)):
        with pytest.raises(InvalidInput, match="one temperature for all blocks"):
            attention_header(network(*betas))


def test_temperatures_of_a_file_are_read_where_there_are_some() -> None:
    assert read_temperatures({}, "x") is None
    assert read_temperatures({"attention": "softmax"}, "x") is None
    assert read_temperatures({"attention": "softmax", "beta": ["1/2", None]}, "x") == Temperatures.of("1/2", None)
    assert read_temperatures({"attention": "softmax", "beta": ["1/2", "2"]}, "x") == Temperatures.of("1/2", 2)
    for wrong in (
        {"attention": "hardmax", "beta": ["1", "1"]},
        {"attention": "softmax", "beta": ["1", "1", "1"]},
        {"attention": "softmax", "beta": None},
        {"attention": "softmax", "beta": [None, "1"]},
        {"attention": "softmax", "beta": ["3", "2"]},
        {"attention": "softmax", "beta": ["2/4", "2"]},
    ):
        with pytest.raises((Malformed, InvalidInput)):
            read_temperatures(wrong, "x")


@pytest.mark.parametrize(
    ("layer", "said"),
    [
        ({"eta": "1", "U": [["1"]], "b": ["0"]}, "a layer with the keys eta, U, b, W"),
        ({"eta": "0.5", "U": [["1"]], "b": ["0"], "W": [["1"]]}, "canonical"),
        ({"eta": "1", "U": [["2/4"]], "b": ["0"], "W": [["1"]]}, "canonical"),
        ({"eta": "1", "U": [["1"]], "b": "12", "W": [["1"]]}, "a row of canonical numbers, got '12'"),
        ({"eta": "1", "U": [["1"]], "b": [0], "W": [["1"]]}, "canonical"),
        ({"eta": "1", "U": {"scalar": "1.0"}, "b": ["0"], "W": [["1"]]}, "canonical"),
        ({"eta": "1", "U": {"outer": [["1"], ["x"]]}, "b": ["0"], "W": [["1"]]}, "canonical"),
        ({"eta": "1", "U": {"diagonal": "1"}, "b": ["0"], "W": [["1"]]}, "expected rows"),
        ({"eta": "1", "U": {"zero": True}, "b": ["0", "0"], "W": [["1"]]}, "W: expected a 1-by-2 matrix"),
        ([], "a layer with the keys"),
    ],
)
def test_layers_of_a_file_are_canonical(layer: Any, said: str, tmp_path: Path) -> None:
    header = {"exactformer": "transformer", "version": [1, 0], "attention": "hardmax", "dim": 1, "blocks": 1}
    with LineWriter(tmp_path / "t.jsonl") as out:
        out.write(header)
        out.write({"block": 0, "feed_forward": layer, "self_attention": None})
    with pytest.raises(Malformed, match=said):
        Transformer.read(tmp_path / "t.jsonl")


def test_every_form_of_a_matrix_comes_back_from_a_file(tmp_path: Path) -> None:
    forms: list[Any] = [Dense([["1/3", 2], [0, -1]]), Outer(["1/2", 3], [5, 0]), Scalar("-7/2"), Zero()]
    blocks = [
        Block(FeedForward("1/9", U, [k, -k], W), SelfAttention(k, W, U, W))
        for k, (U, W) in enumerate(zip(forms, forms[1:] + forms[:1], strict=True))
    ]
    network = Transformer(2, [*blocks, Block()])
    network.write(tmp_path / "t.jsonl")
    assert Transformer.read(tmp_path / "t.jsonl") == network
    assert ef.load(tmp_path / "t.jsonl") == network
    saved(tmp_path / "x.json", '{"exactformer": "proof"}')
    with pytest.raises(Malformed, match="certificate, transformer, tokens or dataset, got 'proof'"):
        ef.load(tmp_path / "x.json")
    saved(tmp_path / "t.json", json.dumps({"exactformer": "tokens", "version": [1, 0], "tokens": [[1]]}, indent=1))
    assert ef.load(tmp_path / "t.json") == Tokens([[1]])


# ---------------------------------------------------------------- pages


def test_numbers_on_pages_are_folded_and_cut_where_they_are_long() -> None:
    fits, folds = F(10 ** (FOLD - 1)), F(10**FOLD)
    assert (short(fits), short(folds), short(-fits)) == (str(10 ** (FOLD - 1)), "~1e+12", "~-1e+11")
    longest = F(10 ** (DIGITS - 1))
    assert number(longest) == "1" + "0" * (DIGITS - 1)
    assert number(10 * longest) == f"~inf ({DIGITS + 1} digits)"
    assert number(F(-1, 10 ** (DIGITS - 1))) == f"~-0 ({DIGITS + 1} digits)"
    assert point([F(1, 2), -3]) == "(1/2, -3)"
    assert cell(-(10**DIGITS)) == f"~-1.0000000e+{DIGITS}"
    assert cell(F(1, 2)) == '<span class="number">1/2</span>'
    assert cell((F(1, 2), F(3))) == '<span class="number">(1/2, 3)</span>'
    assert cell(folds) == f'<details class="number"><summary>~1e+12</summary>{10**FOLD}</details>'
    assert cell((F(1), folds)) == f'<details class="number"><summary>(1, ~1e+12)</summary>(1, {10**FOLD})</details>'
    assert (cell("<"), cell(Markup("<")), cell(5), cell(None)) == ("&lt;", "<", "5", "None")
    assert (cell(10 ** (DIGITS - 1)), cell(10**5000)) == ("1" + "0" * (DIGITS - 1), "~1.0000000e+5000")
    assert short(from_text("sqrt(2)")) == "~1.41421"


def test_tables_and_links_on_pages() -> None:
    assert table(["a", "b"], [[1, "<"]]) == (
        '<div class="scroll"><table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>&lt;</td></tr></table></div>'
    )
    assert table(["", ""], [[1, 2]], name="n&m") == (
        '<div class="scroll"><table data-table="n&amp;m"><tr><td>1</td><td>2</td></tr></table></div>'
    )
    assert download("a.txt", b"hi" * 600, "text/plain").startswith(
        '<a download="a.txt" href="data:text/plain;base64,aGlo'
    )
    assert download("a.txt", b"hi" * 600).endswith(">a.txt</a> (1,200 bytes)")
    assert join([html("<b>{x}</b>", x=1), html("{y:.2f}", y=0.5)]) == "<b>1</b>0.50"
    assert html("{m}{t}", m=Markup("<i>"), t="<i>") == "<i>&lt;i&gt;"
    assert visible("tab\there", keep="\t") == "tab\there"
    assert visible("tab\there") == "tab\\there"


def test_states_and_data_are_shown_with_their_first_rows() -> None:
    shown = Dataset.of([[["1/2", 1], [0, 0]], [[3, 4]]], labels=["<a>", "b"], names=["n", "m"])._repr_html_()
    for part in ("<td>n</td>", "<td>2</td>", "<td>(1/2, 1) ..</td>", "<td>&lt;a&gt;</td>", "<td>(3, 4)</td>"):
        assert part in shown
    targets = Dataset.of([[[1]]], targets=[[["7/2"], [5]]])._repr_html_()
    assert "<td>(7/2)</td>" in targets
    assert "<td>0</td>" in targets
    assert "more sequences" not in Dataset.of([[[k]] for k in range(40)])._repr_html_()
    assert State.of([[1]]) != State.of([[2]])
