"""`ef.load`: whatever is in a file of ours, as the object it is."""

from __future__ import annotations

from collections.abc import Callable

from exactformer.certificates.certificate import Certificate
from exactformer.errors import Malformed
from exactformer.io.file_kind import file_kind
from exactformer.io.json_lines import PathLike, as_path, read_bytes, strict_json
from exactformer.languages.recogniser import Recogniser
from exactformer.model.dataset import Dataset
from exactformer.model.network import Network
from exactformer.model.network_files import read_network_file
from exactformer.model.tokens import Tokens
from exactformer.model.transformer import Transformer

Loaded = Certificate | Transformer | Network | Recogniser | Tokens | Dataset

#: the word in a file's header -> how the file is read
_READERS: dict[object, Callable[[PathLike], Loaded]] = {
    "certificate": Certificate.open,
    "transformer": Transformer.read,
    "network": read_network_file,
    "recogniser": Recogniser.read,
    "tokens": Tokens.read,
    "dataset": Dataset.read,
}


def load(path: PathLike) -> Loaded:
    """What a file holds: a Certificate, a Transformer, a Network, a Recogniser, Tokens or a Dataset, by its content.

    CSV files with a column sequence are data sets, others tokens; NPZ files data sets, NPY files tokens. Raises
    Malformed for a file that is none of these.
    """
    kind = file_kind(as_path(path))
    if kind == "npz":
        return Dataset.read(path)
    if kind == "csv":
        return Dataset.read(path) if "sequence" in _first_line(path).lower() else Tokens.read(path)
    if kind == "npy":
        return Tokens.read(path)
    form = _form(read_bytes(path), str(path))
    if form not in _READERS:
        raise Malformed(
            f'{path}: expected a file with "exactformer": certificate, transformer, network, recogniser, tokens or '
            f"dataset, got {form!r:.60}"
        )
    return _READERS[form](path)


def _first_line(path: PathLike) -> str:
    return read_bytes(path, 4096).decode("utf-8", "replace").strip("\ufeff \r\n").partition("\n")[0]


def _form(data: bytes, where: str) -> object:
    """What the header says: the first line of a certificate, or the whole of a token file or data set."""
    try:
        header = strict_json(data.partition(b"\n")[0], where)
    except Malformed:
        header = strict_json(data, where)
    return header.get("exactformer") if isinstance(header, dict) else None
