"""The table of versions says what the checker's own table says."""

from __future__ import annotations

from exactformer.io.versions import FIRST, SINCE, read_versions, since
from proofs_check.claims import CLAIMS, FORMS, SOFT_INTERPOLATION, STATEMENTS


def test_claims_stand_since_the_version_in_which_the_checker_knows_them() -> None:
    assert {name: since(name) for name in CLAIMS} == {name: claim.since for name, claim in CLAIMS.items()}
    assert {key: since(*key) for key in FORMS} == {key: form.since for key, form in FORMS.items()}
    assert since("interpolation", "attention", "beta") == SOFT_INTERPOLATION.since
    meanfield = [name for name, claim in STATEMENTS.items() if claim.since != since(name)]
    assert all(name.startswith("meanfield-") and STATEMENTS[name].since == [1, 1] for name in meanfield)
    assert since("counterexample", "mean field") == [1, 1]


def test_every_later_version_is_used_and_read() -> None:
    assert all(version > FIRST for version in SINCE.values())
    assert read_versions("certificate") == [FIRST, [1, 1], [1, 2]]
    assert read_versions("tokens") == [FIRST]
    assert read_versions("network") == [[1, 2]]
