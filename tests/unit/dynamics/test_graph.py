"""Tests of `exactformer.dynamics.graph`."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import networkx as nx
import pytest

from exactformer.dynamics.graph import write_graph
from exactformer.dynamics.orbit import simulate
from exactformer.errors import InvalidInput
from exactformer.geometry.points import dot
from exactformer.instances.token_families import sample
from exactformer.model.tokens import Tokens

F = Fraction


@pytest.mark.parametrize("name", ["emerging-leader", "duplicated", "symmetric-faces", "generic-metric"])
def test_graphs_say_of_every_token_what_its_orbit_says(name: str, tmp_path: Path) -> None:
    orbit = simulate(sample(name, 6, 2, 3), layers=9)
    A = orbit.instance.A
    for k in range(9):
        graph, rows, after, sets = orbit.graph(k), *(orbit.tokens(j).rows() for j in (k, k + 1)), orbit.follows(k)
        led = [[j for j in range(k + 1) if orbit.follows(j)[i] == (i,)] for i in range(6)]
        for i, node in graph.nodes(data=True):
            assert node["token"] == "(" + ", ".join(map(str, rows[i])) + ")"
            assert F(node["norm"]) == dot([dot(row, rows[i]) for row in A], rows[i])
            assert (node["leader"], node["leads_from"]) == (bool(led[i]), led[i][0] if led[i] else -1)
            assert node["fixed"] == (after[i] == rows[i])
            assert [node["position"] == graph.nodes[j]["position"] for j in range(6)] == [rows[i] == z for z in rows]
        assert set(graph.edges) == {(i, j) for i in range(6) for j in sets[i]}
        assert all(loop == (i == j) for i, j, loop in graph.edges(data="loop"))
        assert graph.graph["leaders"] == " ".join(str(i) for i in range(6) if led[i])
        assert graph.graph["changed"] == (k > 0 and sets != orbit.follows(k - 1))
        assert (graph.graph["layer"], graph.graph["alpha"]) == (k, str(orbit.instance.alpha))


def test_leaders_are_drawn_twice_round(tmp_path: Path) -> None:
    graph = simulate(sample("emerging-leader", 5, 2, 3), layers=4).graph(2)
    write_graph(graph, tmp_path / "g.gv")
    text = (tmp_path / "g.gv").read_text()
    for i, node in graph.nodes(data=True):
        assert (f"  {i} [shape=doublecircle" in text) == node["leader"]
        assert (f"  {i} [shape=circle" in text) != node["leader"]
    write_graph(graph, tmp_path / "g.json")
    edges = json.loads((tmp_path / "g.json").read_text())["edges"]
    assert {(edge["source"], edge["target"]) for edge in edges} == set(graph.edges)


def chain_of_three() -> Tokens:
    return Tokens([[3, 0], [2, 1], [1, 1], [0, "1/2"], [0, "1/2"]])


def test_graphs_carry_what_is_known() -> None:
    orbit = simulate(chain_of_three(), layers=4)
    graph = orbit.graph(0)
    assert [tuple(sorted(graph.successors(i))) for i in graph] == [tuple(s) for s in orbit.follows(0)]
    assert graph.nodes[0]["leader"]
    assert graph.nodes[0]["norm"] == "9"
    assert graph.nodes[3]["position"] == graph.nodes[4]["position"]
    assert graph.edges[0, 0]["loop"]
    graph.remove_edges_from([(i, j) for i, j, loop in graph.edges(data="loop") if loop])
    assert nx.is_directed_acyclic_graph(graph)


def test_graphs_are_written_in_three_forms(tmp_path: Path) -> None:
    graph = simulate(chain_of_three(), layers=1).graph(1)
    for name in ("g.graphml", "g.json", "g.dot"):
        write_graph(graph, tmp_path / name)
    read = nx.read_graphml(tmp_path / "g.graphml", node_type=int)
    assert sorted(read.edges) == sorted(graph.edges)
    assert len(json.loads((tmp_path / "g.json").read_text())["nodes"]) == 5
    assert "0 -> 0;" in (tmp_path / "g.dot").read_text()
    with pytest.raises(InvalidInput, match="graphml"):
        write_graph(graph, tmp_path / "g.png")


def test_graph_changes_are_the_layers_at_which_sets_change() -> None:
    for seed in range(20):
        orbit = simulate(sample("symmetric-faces", 8, 3, seed), layers=12)
        expected = tuple(k for k in range(1, 13) if orbit.follows(k) != orbit.follows(k - 1))
        assert orbit.graph_changes == expected
        if orbit.constant_from is not None:
            assert all(k <= orbit.constant_from for k in expected)
