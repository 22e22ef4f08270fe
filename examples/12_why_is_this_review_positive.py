"""Why is this review positive? The decision of a trained transformer as an exact vote of words, with a proof.

The classifier that comes with the package moves the words of a review through eight layers of hardmax attention, in
which words follow leader words. What remains of a review are its leaders and how many words follow each of them.
"""

from pathlib import Path

import exactformer as ef

REVIEW = """I loved this film. The acting is wonderful and the story is touching, although the ending is a bit long
and even boring. Not a bad word about the composer: a great job, and one of my favourite pictures of the year."""

model = ef.sentiment.load()
found = model.explain(REVIEW)
print(f"{found.decision}: decision value {float(found.value):+.4f}, in fact the fraction {found.value}")

for row in found.rows():
    print(f"  {row.label:<16} {'  '.join(f'{text:>8}' for text in row.decimals())}   followed by {len(row.followers)}")

total = found.bias + sum(word.vote for word in found.words)
print("votes and bias add up to the value:", total == found.value)
print("weights add up to one:", sum(word.weight for word in found.words) == 1)
print(f"the decision is the same at every depth from {found.same_from} layers on")

found.certify("review.jsonl")
verdict = ef.check("review.jsonl")
print(f"{verdict.verdict}: {verdict.why[:120]}")

short = model.explain("A wonderful cast, an awful script.")
print(f"'A wonderful cast, an awful script.' is {short.decision}; {short.counterfactual()}")
print("certificate:", Path("review.jsonl").stat().st_size, "bytes")
