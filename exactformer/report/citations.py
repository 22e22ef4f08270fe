"""The papers behind a claim, as BibTeX."""

from __future__ import annotations

from exactformer import __version__

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
    "counterexample": (CLUSTERING, FRANK_WOLFE, INTERPOLATION, MEAN_FIELD),
}


def bibtex_for(claim: str | None = None) -> str:
    """BibTeX of the software and of the papers behind a claim (of all papers without one).

    >>> bibtex_for("limit").count("@"), bibtex_for().count("@")
    (2, 6)
    """
    everything = (CLUSTERING, INTERPOLATION, FRANK_WOLFE, DELAY, MEAN_FIELD)
    return "\n\n".join((SOFTWARE, *PAPERS.get(claim or "", everything if claim is None else ())))
