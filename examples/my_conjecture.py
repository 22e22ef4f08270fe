"""A conjecture of one's own: exactformer hunt examples/my_conjecture.py

If all tokens lie in front of the first one, does every token tend to a leader of layer 0?
"""

from exactformer.conjectures import CLUSTERING, Hypothesis, Statement, StatementVerdict, TokenFamily, fails, fate, holds
from exactformer.model.tokens import Tokens


def all_start_in_front(tokens: Tokens) -> bool:
    """<z_0, z_i> > 0 for every token."""
    rows = tokens.state.rows()
    return all(sum(x * y for x, y in zip(rows[0], row, strict=True)) > 0 for row in rows)


def first_leaders_attract_all(tokens: Tokens) -> StatementVerdict:
    """Every token tends to a token that leads at layer 0."""
    end = fate(tokens)
    heads = {end.limits[i] for i, layer in end.leads_from.items() if layer == 0}
    for i, point in enumerate(end.limits):
        if point not in heads:
            return fails(token=i, limit=list(point))
    return holds(nearness=1 / (1 + len(heads)))


statement = Statement(
    name="first-leaders-attract-all",
    words="If all tokens lie in front of token 0, every token tends to a leader of layer 0.",
    status="open",
    source="a question of mine",
    hypotheses=(*CLUSTERING, Hypothesis("all tokens lie in front of token 0", all_start_in_front)),
    conclusion=first_leaders_attract_all,
    generate=TokenFamily(dims=(2,), sizes=(3, 4, 5)),
)
