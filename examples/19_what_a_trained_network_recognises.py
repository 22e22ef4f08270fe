"""A small network trained on words that begin with a: decided on all short words, its hardmax version extracted.

The softmax network is proved right on every word up to 5 letters. Its hardmax version is a recogniser: its language is
an automaton, and that need not be the language it was trained on, not even where the network itself is right.
"""

from itertools import product

import numpy as np

import exactformer as ef
from exactformer.languages.hardened import hardmax_recogniser
from exactformer.languages.named import language
from exactformer.model.domain import Domain
from exactformer.training.network_training import small_architecture, train_network

target, most = language("a.*", letters="ab"), 5


def classes(n: int) -> np.ndarray:
    """Whether each word of n letters is in the language."""
    return np.array([int(target.accepts(word)) for word in product("ab", repeat=n)], dtype=np.int64)


words = Domain.of_words("begins with a", 2, most, classes, begin=2)
shape = small_architecture(words, layers=1, dim=8, heads=1, norm="none", activation="relu")
network = train_network(words, shape, epochs=200, seed=1).network
decision = network.decide(words)
print(f"softmax: proved right on {decision.right} of {decision.inputs} words up to {most} letters")

hard = hardmax_recogniser(network, "ab", begin=2)
found = ef.languages.prove(hard, target, up_to=most)
print(f"hardmax: {found.verdict}", "" if found.counterexample is None else "".join(found.counterexample))
automaton = ef.languages.extract(hard)
print(f"hardmax, all lengths (positions repeat after {most + 1}): an automaton with {len(automaton)} states")
longer = ef.languages.prove(hard, target)
print("  it", "is the language" if longer else f"departs from the language first on {''.join(longer.counterexample)}")
