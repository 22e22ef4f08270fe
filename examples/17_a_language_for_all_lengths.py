"""A regular expression as a transformer, proved for words of every length; and one that no such transformer has.

Balanced brackets of two types, nested at most twice, are star-free: four coordinates and three heads recognise them.
An even number of letters is not: whatever the weights, a word of known form is a counterexample.
"""

import tempfile
from pathlib import Path

import exactformer as ef

brackets = ef.languages.compile("dyck-2-2")
print(brackets.recogniser, "proved with", brackets.recognition.product_states, "states")
for word in ("([])()", "([)]", "((()))"):
    print(f"  {word:<8} {brackets.recogniser.verdict(word)}")

with tempfile.TemporaryDirectory() as folder:
    certificate = Path(folder) / "brackets.jsonl"
    brackets.certify(certificate)
    print(f"certificate of {certificate.stat().st_size:,} bytes")

even = ef.languages.compile("(aa)*")
print(
    "(aa)* is possible:",
    even.possible,
    "- with a feature of period",
    ef.languages.compile("(aa)*", period="any").period,
)

# any recogniser with unique ties is wrong about (aa)*; here is one, and the word
last = ef.Head(ef.Scalar(1), ef.Zero(), ef.Zero(), mask="before", ties="last")
model = ef.Recogniser("a", [[1]], [ef.MultiHeadBlock(None, ef.MultiHeadAttention(-1, [last]))], [1], empty=True)
word = even.refutation_of(model)
print("a model of one block:", model.verdict(word), "".join(word), "with", len(word), "letters")
