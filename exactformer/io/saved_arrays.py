"""Arrays kept between two runs of a program, with a digest of what they are and of the problem they belong to."""

from __future__ import annotations

import hashlib
import io
import json
import shutil
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from exactformer.errors import InvalidInput, Malformed
from exactformer.io.json_lines import read_arrays, read_bytes, strict_json, write_atomically
from exactformer.io.untyped import AnyArray, Untyped

Arrays = Mapping[str, AnyArray]
_DIGEST = "sha256"
_HEAD = "problem.json"


class SavedArrays:
    """A folder with one file of named arrays a part of a problem; `what` words what they are, for messages.

    A problem is a set of named texts. Arrays that were cut or changed, or belong to other data, another seed or other
    options, are never gone on from: they are Malformed.
    """

    def __init__(self, folder: Path, what: str, problem: Mapping[str, object]) -> None:
        self.folder, self.what = folder, what
        self.problem = {key: str(value) for key, value in problem.items()}

    @property
    def found(self) -> bool:
        """Whether there is anything to go on from."""
        return self.folder.is_dir() and any(self.folder.glob("*.npz"))

    def verify_problem(self) -> None:
        """Malformed where the folder keeps the arrays of another problem."""
        head, cure = self.folder / _HEAD, "delete the folder to begin anew, or choose another output"
        if not head.exists():
            if self.found:
                raise Malformed(f"{self.folder}: expected {_HEAD}, as this version writes it, got none; {cure}")
            return
        try:
            found = strict_json(read_bytes(head), str(head))
        except (InvalidInput, Malformed) as reason:
            raise Malformed(f"{reason}; {cure}") from reason
        if not isinstance(found, dict):
            raise Malformed(f"{head}: expected the problem that {self.what} belongs to, got something else; {cure}")
        for key in dict.fromkeys([*self.problem, *found]):
            theirs, mine = found.get(key), self.problem.get(key)
            if theirs != mine:
                raise Malformed(
                    f"{head}: {self.what} belongs to another problem: its {key} is {theirs!s:.80}, this one's is "
                    f"{mine!s:.80}; {cure}"
                )

    def save(self, part: str, arrays: Arrays) -> None:
        """Keeps the arrays of a part of the problem, whole or not at all."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as reason:
            raise InvalidInput(f"cannot write {self.folder}: {reason.strerror}; choose another output") from reason
        if not (self.folder / _HEAD).exists():
            write_atomically(self.folder / _HEAD, json.dumps(self.problem).encode())
        buffer = io.BytesIO()
        named: dict[str, Untyped] = {**arrays, _DIGEST: np.array(self._digest(part, arrays))}
        np.savez(buffer, **named)
        write_atomically(self._path(part), buffer.getvalue())

    def load(self, part: str) -> Arrays | None:
        """The arrays of a part as they were saved last, None where there are none."""
        path, cure = self._path(part), f"delete the file to begin {self.what} anew"
        if not path.exists():
            return None
        try:
            found = read_arrays(path, self.what)
        except Malformed as reason:
            raise Malformed(f"{reason}; {cure}") from reason
        if not isinstance(found, dict) or _DIGEST not in found:
            raise Malformed(f"{path}: expected {self.what} with its digest, as this version writes it; {cure}")
        stated = found.pop(_DIGEST)
        if str(stated) != self._digest(part, found):
            raise Malformed(f"{path}: {self.what} was changed after it was written, or is that of another part; {cure}")
        return found

    def clear(self) -> None:
        """Removes the folder: the problem is solved."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _path(self, part: str) -> Path:
        return self.folder / f"{hashlib.sha256(self._name(part).encode()).hexdigest()[:32]}.npz"

    def _name(self, part: str) -> str:
        return json.dumps([part, self.problem], sort_keys=True)

    def _digest(self, part: str, arrays: Arrays) -> str:
        digest = hashlib.sha256(self._name(part).encode())
        for name in sorted(arrays):
            array = np.ascontiguousarray(arrays[name])
            digest.update(f"\n{name} {array.dtype.str} {arrays[name].shape} ".encode() + array.tobytes())
        return digest.hexdigest()
