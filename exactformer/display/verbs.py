"""The verbs that every result shares, each the public function of the same name applied to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from exactformer.display.html import listed

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.figure import Figure

    from exactformer.io.json_lines import PathLike


class Listed:
    """What has `json()`: a notebook shows it as a table."""

    def json(self) -> Any:
        """The answer as plain data."""
        raise NotImplementedError

    def _repr_html_(self) -> str:
        return listed(self.json())


class Drawn:
    """What has a picture: `x.plot(..)` is `ef.plot(x, ..)`."""

    def plot(self, *args: Any, **options: Any) -> Figure:
        """The picture; see `exactformer.plot` for kinds and options."""
        from exactformer import plot

        return plot(self, *args, **options)


class Reported:
    """What has a page: `x.write_report(path)` is `ef.write_report(x, path)`."""

    def write_report(self, output: PathLike, **options: Any) -> Any:
        """Writes the self-contained page about this result, and returns the checker's verdict."""
        from exactformer import write_report

        return write_report(self, output, **options)


class Certified(Reported):
    """What has a certificate: `x.check()` is `ef.check(x)`."""

    def certify(self, path: PathLike) -> Path:
        """Writes the certificate of this result, and returns its path."""
        raise NotImplementedError

    def save(self, path: PathLike) -> Path:
        """Writes the file of this result, which is its certificate; `ef.load` opens it."""
        return self.certify(path)

    def check(self, **options: Any) -> Any:
        """The verdict of the independent checker on the certificate of this result."""
        from exactformer import check

        return check(self, **options)


class Exported:
    """What has a transformer: `x.export(path)` is `ef.export(x, path)`."""

    def export(self, path: PathLike, *, to: str = "") -> Path:
        """Writes the transformer for torch (.pt2), NumPy (.npz) or a paper (.tex); see `exactformer.export`."""
        from exactformer import export

        return export(self, path, to=to)  # type: ignore[arg-type]
