"""The claim `no-recogniser` (FORMAT.md, section 17, rule 14): an automaton that counts."""

from ..core.certificate import Certificate
from ..core.lines import count, exact_keys
from ..core.verdict import holds, well_formed
from .automata import Automaton, read_automaton, read_word
from .subject_file import verify_data


def no_recogniser(file: Certificate) -> str:
    """No recogniser of the class has the automaton's verdict on every word: the automaton counts (rule 14)."""
    period, k, s = file.header["period"], file.header["letters"], file.header["states"]
    well_formed(file.dim == 1, '"dim" must be 1')
    if period is not None:
        count(period, 1)
    automaton = read_automaton(file)
    verify_data(file, automaton, None)
    keys = ["x", "u", "p", "z", *(["e"] if period is None else [])]
    found = exact_keys(file.lines.value(), *keys)
    x, u, z = (read_word(found[key], k) for key in "xuz")
    e, p = read_word(found.get("e", []), k), count(found["p"], 2, s + 1)
    well_formed(len(u) > 0, "u must not be empty")
    if period is None:
        holds(len(e) == len(u), "e is not as long as u")
    else:
        holds(len(u) % period == 0, f"the length of u is not a multiple of {period}")
    verify_counter(file, automaton, x, u, e, p, z)
    which = "whatever their periods" if period is None else f"of periods that divide {period}"
    return (
        f"no recogniser with unique ties and periodic features {which} has the verdict of the automaton with {s} "
        f"states on every word over {k} letters"
    )


def verify_counter(
    file: Certificate, automaton: Automaton, x: list[int], u: list[int], e: list[int], p: int, z: list[int]
) -> None:
    """u moves the state of x round a cycle of p steps that e leaves alone, and z separates its first two states."""
    file.budget.spend(4 * (len(x) + p * (len(u) + len(e)) + 2 * len(z)))
    first = q = automaton.run(automaton.start, x)
    second = automaton.run(first, u)
    for _ in range(p):
        holds(automaton.run(q, e) == q, "e does not fix a state of the cycle of u")
        q = automaton.run(q, u)
    holds(q == first, f"u^{p} does not lead back to the state of x")
    one, two = (automaton.run(state, z) in automaton.accepting for state in (first, second))
    holds(one != two, "z does not separate the states of x and of xu")
