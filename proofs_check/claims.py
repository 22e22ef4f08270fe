"""The header and the table of claims (FORMAT.md, section 1, Header): a new claim is a module and a row."""

from collections.abc import Callable
from typing import NamedTuple

from .core.certificate import Certificate
from .core.dynamics import orbit
from .core.geometry import projection, separation, vertex
from .core.infeasible import infeasible
from .core.limit import limit
from .core.lines import Lines, count, exact_keys
from .core.transformer import interpolation
from .core.verdict import Json, Refusal, well_formed
from .languages.counters import no_recogniser
from .languages.recognition import recognition_of_all, recognition_of_words
from .networks.architecture import KEYS as NETWORK_KEYS
from .networks.decisions import argmax, enclosure
from .softmax.loss import loss
from .softmax.margin import interpolation_with_margin
from .softmax.soft_interpolation import soft_interpolation
from .stages.limit_in_stages import limit_in_stages
from .studies.decision import decision
from .studies.laplace import laplace
from .studies.mean_field import MEAN_FIELD_STATEMENTS
from .studies.positive_window import positive_window
from .studies.recurrence import recurrence
from .studies.refutations import exponentially_fast, frank_wolfe_negative, one_block_suffices
from .studies.statements import TOKEN_STATEMENTS, token_statement
from .studies.zero_temperature import zero_temperature


class Claim(NamedTuple):
    """Version since which it is known, further keys of the header, verification, whether --data has a file for it.

    Which other checkers know the claim: `js/`, what Rocq proves of an exported file, the program in `verified/`.
    """

    since: list[int]
    keys: str
    verify: Callable[[Certificate], str]
    has_data: bool
    also: tuple[str, ...] = ()

    @property
    def tier(self) -> str:
        """The folder of its rules."""
        return self.verify.__module__.split(".")[-2]


JAVASCRIPT, VERIFIED, EVERY = ("javascript",), ("verified",), ("javascript", "rocq", "verified")
VERSIONS = ([1, 0], [1, 1], [1, 2])
CLAIMS = {
    "interpolation": Claim([1, 0], "attention blocks sequences", interpolation, True, EVERY),
    "infeasible": Claim([1, 0], "condition sequences witness", infeasible, True, VERIFIED),
    "orbit": Claim([1, 0], "tokens layers", orbit, True, VERIFIED),
    "limit": Claim([1, 0], "tokens layer", limit, True, ("rocq", "verified")),
    "decision": Claim([1, 1], "tokens layers", decision, True, JAVASCRIPT),
    "vertex": Claim([1, 0], "points vertex", vertex, False, VERIFIED),
    "separation": Claim([1, 0], "left right separated", separation, False, VERIFIED),
    "projection": Claim([1, 0], "points", projection, False, VERIFIED),
    "recurrence": Claim([1, 1], "rows intercept refuted holds", recurrence, False),
    "positive-window": Claim([1, 1], "degree window", positive_window, False),
    "loss": Claim([1, 1], "attention beta bits eps below blocks sequences", loss, True),
    "zero-temperature": Claim([1, 1], "degree multiplicity", zero_temperature, True),
    "laplace": Claim([1, 1], "tokens bits", laplace, True),
    "argmax": Claim([1, 2], f"{NETWORK_KEYS} at", argmax, False, JAVASCRIPT),
    "enclosure": Claim([1, 2], NETWORK_KEYS, enclosure, False, JAVASCRIPT),
    "recognition": Claim([1, 2], "scope blocks letters states product", recognition_of_all, True, EVERY),
    "no-recogniser": Claim([1, 2], "letters states period", no_recogniser, True, EVERY),
}
SOFT_INTERPOLATION = Claim([1, 1], "attention beta bits blocks sequences", soft_interpolation, True, JAVASCRIPT)
FROM_TEMPERATURE = SOFT_INTERPOLATION._replace(also=(*JAVASCRIPT, *VERIFIED))
WITH_MARGIN = CLAIMS["interpolation"]._replace(since=[1, 1], verify=interpolation_with_margin, also=())
#: a claim in another form, which a key of the header chooses
IN_STAGES = Claim([1, 1], "tokens layer stages", limit_in_stages, True)
LOSS_ABOVE = Claim([1, 1], "attention beta bits eps above blocks sequences", loss, True)
OF_WORDS = Claim([1, 2], "scope blocks letters states length", recognition_of_words, True, (*JAVASCRIPT, *VERIFIED))
#: (claim, key of the header) -> the form that the key chooses
FORMS = {
    ("limit", "stages"): IN_STAGES,
    ("loss", "above"): LOSS_ABOVE,
    ("recognition", "length"): OF_WORDS,
}
STATEMENTS = {
    **{
        name: Claim(list(row.since), "statement tokens layers", token_statement, True, VERIFIED)
        for name, row in TOKEN_STATEMENTS.items()
    },
    "frank-wolfe-negative": Claim([1, 0], "statement tokens layers", frank_wolfe_negative, False),
    "exponentially-fast": Claim([1, 0], "statement tokens", exponentially_fast, False),
    "one-block-suffices": Claim([1, 0], "statement sequences", one_block_suffices, True),
    **{name: Claim([1, 1], f"statement {row.keys}", row.refute, False) for name, row in MEAN_FIELD_STATEMENTS.items()},
}
#: counts of a header that are at least 1
POSITIVE = ("dim", "sequences", "tokens", "points", "left", "right", "rows", "degree", "multiplicity", "stages")
POSITIVE_OF_LANGUAGES = ("letters", "states", "product")
COUNTS = (*POSITIVE, *POSITIVE_OF_LANGUAGES, "blocks", "layers", "layer", "refuted", "window", "length")
BOOLEANS = ("vertex", "separated", "intercept", "holds", "rational")


def verify_header(header: Json) -> Claim:
    """The row of the claim of a header, which has the keys of that claim."""
    well_formed(type(header) is dict and header.get("exactformer") == "certificate", "no header of a certificate")
    version = header.get("version")
    known = any(repr(version) == repr(one) for one in VERSIONS)  # repr: true is no 1
    well_formed(known, "the version is not [1,0], [1,1] or [1,2]")
    claim = named_claim(header)
    exact_keys(header, "exactformer", "version", "claim", "dim", *claim.keys.split())
    for key in header.keys() & set(COUNTS):
        count(header[key], 1 if key in (*POSITIVE, *POSITIVE_OF_LANGUAGES) else 0)
    for key in header.keys() & set(BOOLEANS):
        well_formed(type(header[key]) is bool, f'"{key}" must be true or false')
    return claim


def named_claim(header: Json) -> Claim:
    """The row of the claim, or for a counterexample of the statement, known since a version not after the header's."""
    if header.get("claim") == "interpolation" and "beta" in header and header["version"] >= SOFT_INTERPOLATION.since:
        beta = header["beta"]
        return FROM_TEMPERATURE if type(beta) is list and beta[1:] == [None] else SOFT_INTERPOLATION
    refuting = header.get("claim") == "counterexample"
    table, name = (STATEMENTS, header.get("statement")) if refuting else (CLAIMS, header.get("claim"))
    forms = [form for (claim, key), form in FORMS.items() if claim == name and key in header]
    row = forms[0] if forms else table.get(str(name))
    if row is None or type(name) is not str or row.since > header["version"]:
        raise Refusal("malformed", "an unknown claim or statement")
    return row


def chosen(header: Json, lines: Lines) -> Claim:
    """The row of the claim of a header; of an interpolation, perhaps with the margin that the next line states."""
    claim = verify_header(header)
    if claim is not CLAIMS["interpolation"]:
        return claim
    well_formed(header["attention"] in ("hardmax", "softmax"), "attention is hardmax or softmax")
    moving = header["version"] >= WITH_MARGIN.since and lines.next_has("margin")
    return WITH_MARGIN if moving else claim


def proved(claim: Claim, file: Certificate) -> str:
    """What the certificate proves, in words; raises Refusal if it does not."""
    if file.data is not None and not claim.has_data:
        raise Refusal("declined", "--data: this claim has no data file to compare with")
    words = claim.verify(file)
    file.lines.end()
    return words
