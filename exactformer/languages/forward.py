"""An automaton that only goes forward, such as that of finitely many words or of subwords, as a recogniser.

Forward means that every cycle is a loop: a word changes the state at most so many times as the longest path is long.
Block l looks for the change number l + 1: it is at the first position that is known to have had l changes before it
and has a letter that leaves the state. Coordinates are those of a cascade; the integer is the letter and a node, that
is a state with the number of changes that led there, and the head adds the difference of two nodes.
"""

from __future__ import annotations

import networkx as nx

from exactformer.errors import Declined
from exactformer.languages.automaton import Automaton
from exactformer.languages.cascade_weights import RESET, VALUE, LayerTable, head, recogniser_of_blocks, table_layer
from exactformer.languages.effort import keep, spend
from exactformer.languages.recogniser import Recogniser
from exactformer.model.heads import MultiHeadAttention, MultiHeadBlock

#: the most nodes, and bytes of one
MOST_NODES, _NODE = 20_000, 300
#: a state, and how many changes led there
Node = tuple[int, int]


def recogniser_of_forward(automaton: Automaton) -> Recogniser:
    """The recogniser of the automaton's language: heads `before`, ties `first`, one block per change of the state.

    Declined where a cycle is more than a loop, or where a proof would evaluate too many units.

    >>> from exactformer.languages.expressions import of_expression
    >>> r = recogniser_of_forward(of_expression("ab|ba"))
    >>> r.verdict("ba"), r.verdict("bb")
    ('accept', 'reject')
    """
    depth = depth_of(automaton)
    if depth is None:
        raise Declined("the automaton has a cycle that is more than a loop")
    letters, nodes, blocks = len(automaton.letters), _nodes(automaton), []
    for level in range(depth):
        table: LayerTable = {}
        for (q, changes), number in nodes.items():
            if changes > level:
                break
            for k, r in enumerate(automaton.next[q]):
                leaves = changes == level and r != q
                table[k + letters * number] = (1, nodes[r, changes + 1] - number) if leaves else (0, 0)
        blocks.append(
            MultiHeadBlock(table_layer(table, (RESET, VALUE)), MultiHeadAttention(1, [head(letters, "first")]))
        )
    verdicts: LayerTable = {
        k + letters * number: (1 if r in automaton.accepting else -1,)
        for (q, _), number in nodes.items()
        for k, r in enumerate(automaton.next[q])
    }
    blocks.append(MultiHeadBlock(table_layer(verdicts, (VALUE,)), None))
    return recogniser_of_blocks(automaton, blocks, len(verdicts))


def depth_of(automaton: Automaton) -> int | None:
    """The most changes of the state that a word makes; None where a cycle is more than a loop.

    >>> depth_of(Automaton(("a",), ((1,), (1,)), frozenset({1})))
    1
    """
    spend(30 * len(automaton) * len(automaton.letters))
    keep(_NODE * len(automaton))
    graph = nx.DiGraph((q, r) for q in automaton.access_moves() for r in automaton.next[q] if q != r)
    return int(nx.dag_longest_path_length(graph)) if nx.is_directed_acyclic_graph(graph) else None


def _nodes(automaton: Automaton) -> dict[Node, int]:
    """The nodes that words lead to, by number, those with fewer changes first."""
    begin = automaton.start, 0
    nodes = {begin: 0}
    for q, changes in (found := [begin]):
        spend(20 + 5 * len(automaton.letters))
        keep(_NODE)
        for r in automaton.next[q]:
            if r != q and (r, changes + 1) not in nodes:
                nodes[r, changes + 1] = len(nodes)
                found.append((r, changes + 1))
        if len(nodes) > MOST_NODES:
            raise Declined(f"more than {MOST_NODES:,} states with their numbers of changes; give a smaller language")
    return nodes
