"""The papers behind a claim, as BibTeX: `ef.cite`."""

from __future__ import annotations

import os

from exactformer import __version__
from exactformer.certificates.certificate import Certificate
from exactformer.errors import InvalidInput
from exactformer.io.json_lines import PathLike

SOFTWARE = f"""@software{{exactformer,
  title   = {{exactformer: transformers in exact arithmetic}},
  author  = {{{{The exactformer authors}}}},
  version = {{{__version__}}},
  year    = {{2026}}
}}"""

CLUSTERING = """@article{alcalde2025clustering,
  title   = {Clustering in pure-attention hardmax transformers and its role in sentiment analysis},
  author  = {Alcalde, Albert and Fantuzzi, Giovanni and Zuazua, Enrique},
  journal = {SIAM Journal on Mathematics of Data Science},
  year    = {2025},
  note    = {arXiv:2407.01602}
}"""

INTERPOLATION = """@article{alcalde2025exact,
  title   = {Exact Sequence Interpolation with Transformers},
  author  = {Alcalde, Albert and Fantuzzi, Giovanni and Zuazua, Enrique},
  journal = {arXiv preprint arXiv:2502.02270},
  year    = {2025}
}"""

FRANK_WOLFE = """@inproceedings{alcalde2026attention,
  title     = {Attention's forward pass and {Frank-Wolfe}},
  author    = {Alcalde, Albert and Geshkovski, Borjan and Ruiz-Balet, Dom{\\`e}nec},
  booktitle = {International Conference on Machine Learning},
  year      = {2026},
  note      = {arXiv:2508.09628}
}"""

DELAY = """@article{alcalde2026delayed,
  title   = {Time-Delayed Transformers for Data-Driven Modeling of Low-Dimensional Dynamics},
  author  = {Alcalde, Albert and Widhalm, Markus and Y{\\i}lmaz, Emre},
  journal = {arXiv preprint arXiv:2602.08478},
  year    = {2026}
}"""

MEAN_FIELD = """@article{alcalde2026quantifying,
  title   = {Quantifying Concentration Phenomena of Mean-Field Transformers in the Low-Temperature Regime},
  author  = {Alcalde, Albert and Bungert, Leon and Riedl, Konstantin and others},
  journal = {arXiv preprint arXiv:2605.10931},
  year    = {2026}
}"""

STAR_FREE = """@inproceedings{yang2024masked,
  title     = {Masked Hard-Attention Transformers Recognize Exactly the Star-Free Languages},
  author    = {Yang, Andy and Chiang, David and Angluin, Dana},
  booktitle = {Advances in Neural Information Processing Systems},
  year      = {2024},
  note      = {arXiv:2310.13897}
}"""

#: claim -> the papers whose mathematics it rests on
PAPERS = {
    "interpolation": (INTERPOLATION,),
    "infeasible": (INTERPOLATION,),
    "orbit": (CLUSTERING,),
    "limit": (CLUSTERING,),
    "decision": (CLUSTERING,),
    "projection": (CLUSTERING,),
    "recurrence": (DELAY,),
    "positive-window": (DELAY,),
    "zero-temperature": (MEAN_FIELD,),
    "laplace": (MEAN_FIELD,),
    "loss": (INTERPOLATION,),
    "recognition": (STAR_FREE,),
    "no-recogniser": (STAR_FREE,),
    "argmax": (),
    "enclosure": (),
    "counterexample": (CLUSTERING, FRANK_WOLFE, INTERPOLATION, MEAN_FIELD),
}


def cite(claim: str | PathLike | Certificate | None = None) -> str:
    """BibTeX of the software and of the papers behind a claim, or behind a certificate; of all without one.

    >>> cite("limit").count("@"), cite().count("@")
    (2, 7)
    """
    return bibtex_for(None if claim is None else claim_named(claim))


def bibtex_for(claim: str | None = None) -> str:
    """BibTeX of the software and of the papers behind a claim, none where the claim is unknown; of all without one."""
    everything = (CLUSTERING, INTERPOLATION, FRANK_WOLFE, DELAY, MEAN_FIELD, STAR_FREE)
    return "\n\n".join((SOFTWARE, *PAPERS.get(claim or "", everything if claim is None else ())))


def claim_named(claim: str | PathLike | Certificate) -> str:
    """The claim of a name, of the path of a certificate, or of an opened one."""
    if isinstance(claim, str) and claim in PAPERS:
        return claim
    if not isinstance(claim, Certificate) and not os.path.exists(claim):
        raise InvalidInput(
            f"expected a certificate or one of the claims {', '.join(PAPERS)}, got {os.fspath(claim)!r:.200}"
        )
    opened = claim if isinstance(claim, Certificate) else Certificate.open(claim)
    if opened.claim is None:
        raise InvalidInput(f"{opened.path}: expected a certificate, got a file without a claim")
    return opened.claim
