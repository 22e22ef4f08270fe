"""A series of numbers, with proof: which linear recurrence it obeys, and which window frozen attention needs for it.

Two tones obey a recurrence of order 4. A transformer whose attention does not depend on the tokens, with one
encoding for all of them, needs a window of 10 for the same series: its older coefficients all have one sign.
"""

import tempfile
from pathlib import Path

import exactformer as ef
from exactformer.studies.time_delay import Series, least_order, least_window
from exactformer.studies.time_delay.systems import tones

series = tones(2, 60)
found = least_order(series)
print(f"order {found.order}:", ", ".join(str(A[0][0]) for A in found.coefficients), "(oldest first)")

window = least_window(found.polynomial)
print(f"window {window.window} of positive attention; windows 2 to {window.window - 1} are refused with proofs")

with tempfile.TemporaryDirectory() as folder:
    for name, thing in (("order", found), ("window", window)):
        thing.certify(Path(folder) / f"{name}.jsonl")
        print(ef.check(Path(folder) / f"{name}.jsonl").why.partition(";")[0])

rows = [row[0] for row in series.rows()]
rows[30] += rows[0] / 10**6
print(
    "one entry changed by a millionth:",
    "a recurrence" if least_order(Series.of(rows), cap=8) else "no recurrence up to order 8",
)
