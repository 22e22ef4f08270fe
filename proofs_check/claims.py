"""The header and the table of claims (FORMAT.md, section 1, Header): a new claim is a module and a row."""

from collections.abc import Callable
from typing import Any, NamedTuple

from .budget import Budget
from .certificate import Certificate
from .decision import decision
from .dynamics import orbit
from .geometry import projection, separation, vertex
from .infeasible import infeasible
from .laplace import laplace
from .limit import limit
from .lines import Lines, count, exact_keys
from .loss import loss
from .margin import interpolation_perhaps_with_margin
from .mean_field import MEAN_FIELD_STATEMENTS
from .positive_window import positive_window
from .recurrence import recurrence
from .refutations import exponentially_fast, frank_wolfe_negative, one_block_suffices
from .soft_interpolation import soft_interpolation
from .stages import limit_in_stages
from .statements import TOKEN_STATEMENTS, token_statement
from .verdict import Refusal, well_formed
from .zero_temperature import zero_temperature


class Claim(NamedTuple):
    """Version since which it is known, further keys of the header, verification, whether --data has a file for it."""

    since: list[int]
    keys: str
    verify: Callable[[Certificate], str]
    has_data: bool


VERSIONS = ([1, 0], [1, 1])
CLAIMS = {
    "interpolation": Claim([1, 0], "attention blocks sequences", interpolation_perhaps_with_margin, True),
    "infeasible": Claim([1, 0], "condition sequences witness", infeasible, True),
    "orbit": Claim([1, 0], "tokens layers", orbit, True),
    "limit": Claim([1, 0], "tokens layer", limit, True),
    "decision": Claim([1, 1], "tokens layers", decision, True),
    "vertex": Claim([1, 0], "points vertex", vertex, False),
    "separation": Claim([1, 0], "left right separated", separation, False),
    "projection": Claim([1, 0], "points", projection, False),
    "recurrence": Claim([1, 1], "rows intercept refuted holds", recurrence, False),
    "positive-window": Claim([1, 1], "degree window", positive_window, False),
    "loss": Claim([1, 1], "attention beta bits eps below blocks sequences", loss, True),
    "zero-temperature": Claim([1, 1], "degree multiplicity", zero_temperature, True),
    "laplace": Claim([1, 1], "tokens bits", laplace, True),
}
SOFT_INTERPOLATION = Claim([1, 1], "attention beta bits blocks sequences", soft_interpolation, True)
#: a claim in another form, which a key of the header chooses
IN_STAGES = Claim([1, 1], "tokens layer stages", limit_in_stages, True)
LOSS_ABOVE = Claim([1, 1], "attention beta bits eps above blocks sequences", loss, True)
#: (claim, key of the header) -> the form that the key chooses
FORMS = {("limit", "stages"): IN_STAGES, ("loss", "above"): LOSS_ABOVE}
STATEMENTS = {
    **{
        name: Claim(list(row.since), "statement tokens layers", token_statement, True)
        for name, row in TOKEN_STATEMENTS.items()
    },
    "frank-wolfe-negative": Claim([1, 0], "statement tokens layers", frank_wolfe_negative, False),
    "exponentially-fast": Claim([1, 0], "statement tokens", exponentially_fast, False),
    "one-block-suffices": Claim([1, 0], "statement sequences", one_block_suffices, True),
    **{name: Claim([1, 1], f"statement {row.keys}", row.refute, False) for name, row in MEAN_FIELD_STATEMENTS.items()},
}
#: counts of a header that are at least 1
POSITIVE = ("dim", "sequences", "tokens", "points", "left", "right", "rows", "degree", "multiplicity", "stages")
COUNTS = (*POSITIVE, "blocks", "layers", "layer", "refuted", "window")
BOOLEANS = ("vertex", "separated", "intercept", "holds", "rational")


def verify_header(header: Any) -> Claim:
    """The row of the claim of a header, which has the keys of that claim."""
    well_formed(type(header) is dict and header.get("exactformer") == "certificate", "no header of a certificate")
    version = header.get("version")
    known = any(repr(version) == repr(one) for one in VERSIONS)  # repr: true is no 1
    well_formed(known, "the version is not [1,0] or [1,1]")
    claim = named_claim(header)
    exact_keys(header, "exactformer", "version", "claim", "dim", *claim.keys.split())
    for key in header.keys() & set(COUNTS):
        count(header[key], 1 if key in POSITIVE else 0)
    for key in header.keys() & set(BOOLEANS):
        well_formed(type(header[key]) is bool, f'"{key}" must be true or false')
    return claim


def named_claim(header: Any) -> Claim:
    """The row of the claim, or for a counterexample of the statement, known since a version not after the header's."""
    if header.get("claim") == "interpolation" and "beta" in header and header["version"] >= SOFT_INTERPOLATION.since:
        return SOFT_INTERPOLATION
    refuting = header.get("claim") == "counterexample"
    table, name = (STATEMENTS, header.get("statement")) if refuting else (CLAIMS, header.get("claim"))
    forms = [form for (claim, key), form in FORMS.items() if claim == name and key in header]
    row = forms[0] if forms else table.get(str(name))
    if row is None or type(name) is not str or row.since > header["version"]:
        raise Refusal("malformed", "an unknown claim or statement")
    return row


def proved(header: Any, lines: Lines, budget: Budget, data: Any, workers: Any) -> str:
    """What the certificate proves, in words; raises Refusal if it does not."""
    claim = verify_header(header)
    if data is not None and not claim.has_data:
        raise Refusal("declined", "--data: this claim has no data file to compare with")
    words = claim.verify(Certificate(header, header["dim"], lines, budget, data, workers))
    lines.end()
    return words
