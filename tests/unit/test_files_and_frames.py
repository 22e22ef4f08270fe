"""Files, frames and arrays that differ in what does not matter are the same; in what matters they are told apart."""

from __future__ import annotations

import io
import json
import random
import zipfile
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import exactformer as ef
from exactformer.arithmetic.state import State
from exactformer.errors import Declined, InvalidInput, Malformed
from exactformer.model.dataset import Dataset, Sequence
from exactformer.model.dataset_of import dataset_of
from exactformer.model.delimited import columns_of, read_table
from exactformer.model.file_kind import file_kind
from exactformer.model.float_weights import network_of, read_network
from exactformer.model.json_lines import LineWriter, read_arrays, write_atomically
from exactformer.model.tokens import Tokens
from exactformer.model.transformer import Transformer

F = Fraction


def table(path: Path, text: str) -> Path:
    path.write_text(text, "utf-8")
    return path


# ---------------------------------------------------------------- tables


def test_rows_of_many_interleaved_sequences_keep_their_order(tmp_path: Path) -> None:
    rows = [(f"s{j}", f"c{j % 3}", j, t) for j in range(30) for t in range(4)]
    mixed = sorted(rows, key=lambda row: (row[3], random.Random(row[2]).random()))
    names = list(dict.fromkeys(row[0] for row in mixed))
    texts = ["sequence,label,x1,x2", *(",".join(map(str, row)) for row in mixed)]
    data = Dataset.read(table(tmp_path / "d.csv", "\n".join(texts)))
    assert data.names == names
    for name, sequence in zip(names, data, strict=True):
        assert sequence.tokens.rows() == [(int(name[1:]), t) for t in range(4)]
        assert sequence.label == f"c{int(name[1:]) % 3}"
    frame = pd.DataFrame(mixed, columns=["sequence", "label", "x1", "x2"])
    assert Dataset.of(frame) == data


@pytest.mark.parametrize(
    ("header", "coordinates", "ignored"),
    [
        ("sequence,label,x0,x1", [2, 3], []),
        ("sequence,label,x_1,x_2", [2, 3], []),
        ("X2,Sequence,LABEL,X1", [3, 0], []),
        ("Unnamed: 0,sequence,label,height", [3], ["Unnamed: 0"]),
        (",sequence,label,height", [3], [""]),
        ("sequence,label,x1,time", [2], ["time"]),
        ("sequence,a,b", [1, 2], []),
        (",".join(["sequence", *(f"x{k}" for k in range(12, 0, -1))]), list(range(12, 0, -1)), []),
    ],
)
def test_columns_are_found_by_their_names(header: str, coordinates: list[int], ignored: list[str]) -> None:
    found = columns_of(header.split(","), "d.csv")
    assert (found.coordinates, found.ignored) == (coordinates, ignored)


@pytest.mark.parametrize(
    "header", ["sequence,x2,x3", "sequence,x0,x2", "sequence,x1,x01", "sequence,x1,x_1,x2", "sequence,a,A", "x1,x2"]
)
def test_columns_that_could_mean_two_things_are_refused(header: str) -> None:
    with pytest.raises(Malformed):
        columns_of(header.split(","), "d.csv")


def test_separators_inside_quotes_do_not_separate() -> None:
    assert read_table(b'"a;b",c\n"1;2",3\n', "t").rows == [["a;b", "c"], ["1;2", "3"]]
    assert read_table(b'"a,b";c\n1;2\n', "t").separator == ";"
    assert read_table(b"1 2\n\n3 4\n", "t").lines == [1, 3]


def test_labels_that_only_some_sequences_have_are_left_out_where_none_is_needed(tmp_path: Path) -> None:
    some = table(tmp_path / "some.csv", "sequence,label,x1\na,p,1\nb,,2\n")
    every = table(tmp_path / "all.csv", "sequence,label,x1\na,p,1\nb,q,2\n")
    assert Dataset.read(some, labelled=False).labels is None
    assert Dataset.read(every, labelled=False).labels == ["p", "q"]
    for labelled in (True, None):
        with pytest.raises(InvalidInput, match="empty label"):
            Dataset.read(some, labelled=labelled)
    built = ef.construct(every)
    assert built.predict(some) == ["p", "q"]


@pytest.mark.parametrize("second", [{}, {"label": "q"}])
def test_labels_of_json_likewise(second: dict[str, str], tmp_path: Path) -> None:
    sequences = [{"tokens": [[1]], "label": "p"}, {"tokens": [[2]], **second}]
    path = table(tmp_path / "d.json", json.dumps({"exactformer": "dataset", "version": [1, 0], "sequences": sequences}))
    assert Dataset.read(path, labelled=False).labels == (["p", "q"] if second else None)
    if not second:
        with pytest.raises(Malformed, match=r"sequences\[1\]"):
            Dataset.read(path, labelled=None)


@pytest.mark.parametrize("labelled", [True, None, False])
def test_targets_that_all_sequences_have_are_kept(labelled: bool | None, tmp_path: Path) -> None:
    data = Dataset.of([[[1]], [[2], [3]]], targets=[[[2]], [[3], [4]]])
    table(tmp_path / "d.json", json.dumps(data.json(), default=str))
    arrays = {"tokens": [[1], [2], [3]], "offsets": [0, 1, 3], "targets": [[2], [3], [4]], "target_offsets": [0, 1, 3]}
    np.savez(tmp_path / "d.npz", **{name: np.array(values) for name, values in arrays.items()})
    for name in ("d.json", "d.npz"):
        assert Dataset.read(tmp_path / name, labelled=labelled) == data


@pytest.mark.parametrize("place", [(0, 0, 0), (0, 1, 1), (1, 0, 0), (1, 0, 1), (2, 0, 1), (2, 2, 0)])
def test_an_error_in_json_names_sequence_token_and_coordinate(place: tuple[int, int, int], tmp_path: Path) -> None:
    j, t, k = place
    sequences = [{"tokens": [[1, 2] for _ in range(n)], "targets": [[0, 0]]} for n in (2, 1, 3)]
    sequences[j]["tokens"][t][k] = "x"  # type: ignore[call-overload]
    path = table(tmp_path / "d.json", json.dumps({"exactformer": "dataset", "version": [1, 0], "sequences": sequences}))
    with pytest.raises(InvalidInput, match=rf"sequences\[{j}\]\.tokens\[{t}\]\[{k}\]"):
        Dataset.read(path)


# ---------------------------------------------------------------- data in memory


def test_targets_divided_otherwise_are_other_data() -> None:
    one, other = ([[[1], [2]], [[3]]], [[[1]], [[2], [3]]])
    assert Dataset.of([[[0]], [[1]]], targets=one) != Dataset.of([[[0]], [[1]]], targets=other)
    assert Dataset.of([[[0]], [[1]]], targets=one) == Dataset.of([[[0]], [[1]]], targets=one, names=["a", "b"])
    assert Dataset.of([[[0], [1]], [[1]]]) != Dataset.of([[[0]], [[1], [1]]])
    assert Dataset.of([[[0]]], labels=["a"]) != Dataset.of([[[0]]])


def test_names_are_kept_where_every_sequence_has_one() -> None:
    sequences = [Sequence.of([[k]], label="a", name=name) for k, name in enumerate(("fox", "owl"))]
    assert Dataset.of(sequences).names == ["fox", "owl"]
    assert Dataset.of([*sequences, Sequence.of([[2]], label="a")]).names is None
    named = Dataset.of(sequences)
    assert (named.called(1), named.called(0, 1)) == ("sequence 'owl'", "sequences 'fox' and 'owl'")
    assert (named[1:].names, named[-1].name) == (["owl"], "owl")
    assert dataset_of(named, labels=["b", "c"]).names == ["fox", "owl"]


@pytest.mark.parametrize("label", [float("nan"), None, "", " ", np.nan, np.str_("")])
def test_a_missing_label_is_asked_about(label: Any) -> None:
    with pytest.raises(InvalidInput, match=r"labels\[1\].*is it missing"):
        Dataset.of([[[0]], [[1]]], labels=["a", label])


@pytest.mark.parametrize("others", [np.array([[0.5]]), np.array([[3]], dtype=np.uint64), [["1/3"]]])
def test_arrays_of_several_kinds_keep_their_exact_values(others: Any) -> None:
    large = np.array([[2**60 + 1]])
    for sequences in ([large, others], [others, large]):
        rows = [row for s in Dataset.of(sequences) for row in s.tokens.rows()]
        assert (F(2**60 + 1),) in rows


def test_words_about_data_count_what_they_leave_out() -> None:
    data = Dataset.of([[[k], [k]] for k in range(9)], labels=[f"c{k}" for k in range(8)] + ["c0"])
    assert repr(data).endswith("labels 'c0' x2, 'c1', 'c2', 'c3', 'c4', 'c5' and 2 more)")
    assert "(0) .." in data._repr_html_()
    assert "(0) .." not in Dataset.of([[[0]]])._repr_html_()
    many = Dataset.of([[[k]] for k in range(45)])
    assert "5 more sequences" in many._repr_html_()


def test_subsets_stand_over_their_own_denominator() -> None:
    data = Dataset.of([[["1/3"]], [[1], [2]]], targets=[[["1/5"]], [[4]]])
    part = data[1:]
    assert (part.tokens.denominator, part.targets.denominator if part.targets else 0) == (1, 1)
    assert part[0].tokens.rows() == [(1,), (2,)]
    assert data[np.array([1, 0])][1].tokens.rows() == [(F(1, 3),)]


# ---------------------------------------------------------------- instances


def test_a_matrix_of_another_shape_is_refused_in_every_form() -> None:
    one, zero = F(1), F(0)
    for A in (((one, zero, zero), (zero, one, zero)), ((one, zero),), ((one,), (zero,)), [[1, 0], [0]], [[1, 0]] * 3):
        with pytest.raises(InvalidInput, match="A: expected a 2-by-2 matrix"):
            Tokens([[1, 2]], A=A)
    assert Tokens([[1, 2]], A=((one, zero), (zero, one))) == Tokens([[1, 2]])


def test_no_matrix_in_a_file_is_left_out_and_not_null(tmp_path: Path) -> None:
    header = {"exactformer": "tokens", "version": [1, 0], "tokens": [[1, 2]]}
    path = table(tmp_path / "t.json", json.dumps({**header, "A": None}))
    with pytest.raises(InvalidInput, match="leave A out for the identity"):
        Tokens.read(path)
    table(path, json.dumps({**header, "A": [[2, 0], [0, 1]], "alpha": 3}))
    assert (Tokens.read(path).alpha, Tokens.read(path, alpha="1/2").alpha) == (3, F(1, 2))
    assert Tokens.read(path, A=[[1, 0], [0, 1]]).A == Tokens([[1, 2]]).A


@pytest.mark.parametrize("first", ["nan,1", "1,b", "sqrt(2),x", "inf,nan"])
def test_a_first_row_that_is_not_all_names_is_no_header(first: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="line 1"):
        Tokens.read(table(tmp_path / "t.csv", f"{first}\n1,2\n"))


@pytest.mark.parametrize("version", [[1, 1], [0, 9], [1], "1.0", None])
def test_token_files_have_one_version(version: Any, tmp_path: Path) -> None:
    content = {"exactformer": "tokens", "version": version, "tokens": [[1]]}
    with pytest.raises(Malformed, match="version"):
        Tokens.read(table(tmp_path / "t.json", json.dumps(content)))
    good = table(tmp_path / "t.json", json.dumps({**content, "version": [1, 0]}, indent=2))
    assert ef.load(good) == Tokens([[1]])


@pytest.mark.parametrize(
    ("start", "kind"),
    [(b"\x93NUMPY", "npy"), (b"PK\x03\x04", "npz"), (b" {", "json"), (b"[1]", "json"), (b"1,2", "csv"), (b"", "csv")],
)
def test_the_first_bytes_tell_the_kind_of_the_standard_input(
    start: bytes, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("exactformer.model.json_lines._standard_input", lambda: start)
    assert file_kind("-") == kind


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        *((f"t{ending}", "csv") for ending in (".csv", ".TSV", ".tab", ".txt")),
        *((f"t{ending}", "json") for ending in (".json", ".jsonl", "")),
        ("t.npy", "npy"),
        ("t.NPZ", "npz"),
    ],
)
def test_the_ending_of_a_name_tells_the_kind(name: str, kind: str) -> None:
    assert file_kind(name) == kind


@pytest.mark.parametrize("header", ["sequence,label,x1", "Sequence;LABEL;X1", "\ufefflabel\tx1\tSEQUENCE"])
def test_load_knows_a_data_set_by_its_header(header: str, tmp_path: Path) -> None:
    separator = next(s for s in ",;\t" if s in header)
    fields = {"sequence": "a", "label": "p", "x1": "1"}
    row = separator.join(fields[name.strip("\ufeff").lower()] for name in header.split(separator))
    assert isinstance(ef.load(table(tmp_path / "d.csv", f"{header}\n{row}\n")), Dataset)
    assert isinstance(ef.load(table(tmp_path / "t.csv", "x1;x2\n1;2\n")), Tokens)


# ---------------------------------------------------------------- networks of floats


WEIGHTS = {
    "layers.0.eta": [0.5],
    "layers.0.U": [[1.0]],
    "layers.0.b": [1.0],
    "layers.0.W": [[2.0]],
    "layers.1.rho": [0.0],
    "layers.1.V": [[3.0]],
    "layers.2.U": [[1.0]],
    "layers.2.b": [-4.0],
    "layers.2.W": [[1.0]],
    "layers.10.V": [[5.0]],
}


def test_the_order_of_weights_in_a_file_does_not_matter() -> None:
    wanted = network_of(WEIGHTS)
    assert len(wanted) == 2
    assert wanted([[1]]).rows() == [(5 * (F(27, 2) - 4),)]
    for seed in range(5):
        shuffled = random.Random(seed).sample(sorted(WEIGHTS), len(WEIGHTS))
        assert network_of({name: WEIGHTS[name] for name in shuffled}) == wanted
    blocks = {"block1.V": [[5.0]], "block0.V": [[3.0]], "block0.rho": 1.0, "dim": 1}
    assert network_of(blocks)([[1]]).rows() == [(20,)]


@pytest.mark.parametrize(
    "wrong",
    [
        {"block0.V": [[True]]},
        {"block0.V": [[float("nan")]]},
        {"block0.U": [[1.0]], "block0.b": [1.0]},
        {"block0.Q": [[1.0]]},
        {"block0.V": [[1.0]], "block1.V": [[1.0, 0.0], [0.0, 1.0]]},
        {"block0.V": [[1.0]], "block0.rho": [1.0, 2.0]},
        {"block0.X": [[1.0]]},
        {"layers.0.V": [[1.0]], "block0.V": [[1.0]]},
        {"dim": 1},
    ],
)
def test_arrays_that_are_no_network_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        network_of(wrong)


def program(path: Path, **about: Any) -> Path:
    """A torch.export program of one attention layer with V = diag(2, 4), as its archive holds it."""
    sizes, strides = about.pop("sizes", [2, 2]), about.pop("strides", [2, 1])
    meta = {
        "dtype": 8,
        "sizes": [{"as_int": n} for n in sizes],
        "strides": [{"as_int": n} for n in strides],
    }
    config = {"config": {"layers.0.V": {"path_name": "w", "use_pickle": False, "tensor_meta": meta, **about}}}
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("p/data/weights/model_weights_config.json", json.dumps(config))
        archive.writestr("p/data/weights/w", np.array([[2.0, 0.0], [0.0, 4.0]]).tobytes())
    return path


def test_programs_hold_plain_tensors_only(tmp_path: Path) -> None:
    assert read_network(program(tmp_path / "p.pt"))([[1, 1]]).rows() == [(2, 4)]
    for wrong in ({"use_pickle": True}, {"use_pickle": None}, {"strides": [1, 2]}, {"sizes": [3, 2]}):
        with pytest.raises(Malformed):
            read_network(program(tmp_path / "p.pt", **wrong))


HEADER = {"exactformer": "transformer", "version": [1, 0], "attention": "hardmax", "dim": 1, "blocks": 2}
EMPTY = {"feed_forward": None, "self_attention": None}


@pytest.mark.parametrize(
    ("header", "order"),
    [
        ({}, (1, 0)),
        ({}, (0, 0)),
        *(({"dim": dim}, (0, 1)) for dim in (True, 0, "1")),
        *(({"blocks": blocks}, (0, 1)) for blocks in (3, -1, "2")),
        ({"version": [1, 2]}, (0, 1)),
    ],
)
def test_transformer_files_are_in_order(header: dict[str, Any], order: tuple[int, ...], tmp_path: Path) -> None:
    def write(header: dict[str, Any], order: tuple[int, ...]) -> Path:
        with LineWriter(tmp_path / "t.jsonl") as out:
            out.write({**HEADER, **header})
            for k in order:
                out.write({"block": k, **EMPTY})
        return tmp_path / "t.jsonl"

    assert len(Transformer.read(write({}, (0, 1)))) == 2
    with pytest.raises(Malformed):
        Transformer.read(write(header, order))


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


def test_states_of_frames_are_the_exact_values_of_their_columns() -> None:
    frame = pd.read_csv(io.StringIO("sequence,x1,x2\na,1,0.5\na,2,0.25\n"))
    assert Dataset.of(frame).tokens == State.of([[1, "1/2"], [2, "1/4"]])


@pytest.mark.parametrize("column", ["x1", "x2", "x3"])
@pytest.mark.parametrize("row", [0, 1, 2])
@pytest.mark.parametrize("kind", ["text", "floats"])
def test_a_frame_says_in_which_row_and_column_a_number_is_none(column: str, row: int, kind: str) -> None:
    cells: dict[str, list[Any]] = {"x2": [1, 2, 3], "label": ["u", "u", "v"], "x3": [4, 5, 6]}
    cells |= {"sequence": ["a", "a", "b"], "x1": [7, 8, 9]}
    for name in ("x1", "x2", "x3"):
        cells[name] = [f"{v}/2" if kind == "text" else v / 2 for v in cells[name]]
    whole = Dataset.of(pd.DataFrame(cells))
    assert whole.tokens == State.of([["7/2", "1/2", 2], [4, 1, "5/2"], ["9/2", "3/2", 3]])
    cells[column][row] = "one" if kind == "text" else float("inf")
    with pytest.raises(InvalidInput, match=rf"^DataFrame, row {row}, column {column}: "):
        Dataset.of(pd.DataFrame(cells))


@pytest.mark.parametrize("missing", [None, float("nan"), pd.NA, pd.NaT, "", "  "])
def test_missing_names_and_labels_of_a_frame_are_asked_about(missing: Any) -> None:
    def frame(names: list[Any], labels: list[Any]) -> pd.DataFrame:
        series = {"sequence": pd.Series(names, dtype=object), "label": pd.Series(labels, dtype=object)}
        return pd.DataFrame({"x1": [1, 2, 3], **series})

    labelled = frame(["a", "b", "c"], ["u", missing, "u"])
    with pytest.raises(InvalidInput, match=r"^DataFrame, row 1, column 3 \(label\): sequence 'b' has an empty label"):
        Dataset.of(labelled)
    with pytest.raises(InvalidInput, match=r"^DataFrame, row 2, column 2 \(sequence\): expected the name"):
        Dataset.of(frame(["a", "b", missing], ["u", "u", "v"]))
    with pytest.raises(InvalidInput, match=r"^labels\[1\]: got an empty label"):
        Dataset.of([[[1]], [[2]]], labels=["u", missing])
    assert dataset_of(labelled, labelled=False).labels is None
    assert Dataset.of(frame(["a", "b", "c"], ["u", "nan", "u"])).labels == ["u", "nan", "u"]
