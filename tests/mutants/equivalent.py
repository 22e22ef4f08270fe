"""Changes of the text that change no answer, each with the reason: readers planted them, and no test can see them.

(file below exactformer/, the text in place, the text planted, why nothing changes)
"""

from __future__ import annotations

# fmt: off
EQUIVALENT: list[tuple[str, str, str, str]] = [
    ("cli/papers.py", "chosen[0][0].nickname", "chosen[-1][0].nickname",
     "the line is printed where a name was given, and a name selects one paper"),
    ("crosscheck/transformers.py", "if not block.self_attention.is_uniform and block.self_attention.beta is None:", "if not block.self_attention.is_uniform:",
     "exact evaluation of a softmax layer that is not uniform raises NotExact a few lines on, and nothing compared before is shown"),
    ("dynamics/stages.py", "if i in ended or l in ended or min(before[i]) in ended", "if i in ended or l in ended",
     "a position that followed a renewed one follows it still, and is renewed by _renewed, or follows others, and is among the changed ones"),
    ("dynamics/stages.py", "new = i in ended or j in ended", "new = i in ended",
     "j is in C_i, and whoever follows a renewed position is renewed"),
    ("studies/mean_field/counterexamples.py", "for part in found.coefficients for row in part):", "for row in found.coefficients[0]):",
     "M N_0 = -c_0 N_{m-1} and M N_i = N_{i-1} - c_i N_{m-1} with c_0 != 0 for m > 1: if N_0 x = 0, all N_i x = 0"),
    ("studies/sentiment/approx_hardmax.py", "leads[reviews] |= follows == places", "leads[reviews] = follows == places",
     "a word that leads follows a leader, itself: it is not free, and is not scored again"),
]
