"""Follower graphs: an edge i -> j for every j in C_i, as networkx graphs with what is known about every token."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from exactformer.arithmetic.text import Exact
from exactformer.display.html import whole
from exactformer.errors import InvalidInput
from exactformer.io.json_lines import PathLike, write_atomically
from exactformer.io.untyped import Untyped

if TYPE_CHECKING:
    import networkx as nx

    from exactformer.dynamics.orbit import Orbit


def follower_graph(orbit: Orbit, layer: int) -> nx.DiGraph[int]:
    """The follower graph of a layer.

    Nodes carry `token` (coordinates as text), `norm` (<A z, z>), `leader`, `leads_from` (-1: never so far), `fixed`
    (the mean of C_i is z_i) and `position` (the class of equal tokens); edges that return to their node carry `loop`.
    The graph carries `layer`, `alpha`, `changed` (since the layer before) and `leaders`.
    """
    import networkx as nx

    follows, state = orbit.follows(layer), orbit.tokens(layer)
    leaders = orbit.leaders_at(layer)
    classes = orbit.equal_tokens(layer)
    position = {token: p for p, tokens in enumerate(classes) for token in tokens}
    graph: nx.DiGraph[int] = nx.DiGraph(
        layer=layer,
        alpha=str(orbit.instance.alpha),
        changed=layer in orbit.graph_changes,
        leaders=" ".join(map(str, leaders)),
    )
    norms = _norms(orbit, layer)
    rows = state.rows()
    for i, members in enumerate(follows):
        graph.add_node(
            i,
            token="(" + ", ".join(map(whole, rows[i])) + ")",
            norm=whole(norms[i]),
            leader=i in leaders,
            leads_from=orbit.leads_from.get(i, -1) if i in leaders else -1,
            fixed=_is_mean(rows, i, members),
            position=position[i],
        )
    graph.add_edges_from((i, j, {"loop": i == j}) for i, members in enumerate(follows) for j in members)
    return graph


def _is_mean(rows: list[tuple[Exact, ...]], i: int, members: tuple[int, ...]) -> bool:
    """Whether z_i is the mean of its C_i, so that it does not move in this layer."""
    size = len(members)
    return all(sum(rows[j][c] for j in members[1:]) + rows[members[0]][c] == x * size for c, x in enumerate(rows[i]))


def _norms(orbit: Orbit, layer: int) -> list[Exact]:
    """<A z_i, z_i> of every token."""
    from exactformer.geometry.points import dot

    A, rows = orbit.instance.A, orbit.tokens(layer).rows()
    return [dot([dot(row, z) for row in A], z) for z in rows]


def write_graph(graph: nx.DiGraph[int], path: PathLike) -> None:
    """Writes a graph as GraphML, JSON (node-link form) or DOT, by the ending of the path."""
    suffix = Path(path).suffix.lower()
    writers = {".graphml": _graphml, ".json": _json, ".dot": _dot, ".gv": _dot}
    if suffix not in writers:
        raise InvalidInput(f"{path}: expected a path that ends in .graphml, .json or .dot, got {suffix or 'no ending'}")
    write_atomically(path, writers[suffix](graph).encode())


def _graphml(graph: nx.DiGraph[int]) -> str:
    import networkx as nx

    return "\n".join(nx.generate_graphml(graph)) + "\n"


def _json(graph: nx.DiGraph[int]) -> str:
    import networkx as nx

    data: Untyped = nx.node_link_data(graph, edges="edges")
    return json.dumps(data, indent=1) + "\n"


def _dot(graph: nx.DiGraph[int]) -> str:
    lines = [f'digraph "layer {graph.graph["layer"]}" {{']
    for i, node in graph.nodes(data=True):
        shape = "doublecircle" if node["leader"] else "circle"
        lines.append(f'  {i} [shape={shape}, tooltip="{node["token"]}"];')
    lines += [f"  {i} -> {j};" for i, j in graph.edges]
    return "\n".join([*lines, "}"]) + "\n"
