"""Tests of `exactformer.model.head_files`."""

from __future__ import annotations

import json
import random

import pytest
from kits.random_heads import random_block

from exactformer.errors import Malformed
from exactformer.io.canonical import canonical
from exactformer.model.head_files import heads_block_line, read_heads_block


@pytest.mark.parametrize("seed", range(40))
def test_a_block_line_is_read_as_it_was_written(seed):
    rng = random.Random(seed)
    dim = rng.randint(1, 3)
    block = random_block(rng, dim)
    line = json.loads(json.dumps(heads_block_line(4, block), default=canonical))
    assert read_heads_block(line, 4, dim, "file") == block


GOOD = {
    "block": 0,
    "feed_forward": {"eta": "1", "U": [["1"]], "b": ["0"], "W": {"rows": [[[0, "1"]]]}},
    "self_attention": {
        "rho": "1",
        "heads": [{"V": {"scalar": "1"}, "Q": {"zero": True}, "K": {"zero": True}, "mask": "upto", "ties": "last"}],
    },
}


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("block",), True),
        (("feed_forward", "W"), {"rows": [[[0, "0"]]]}),
        (("feed_forward", "W"), {"rows": [[[1, "1"]]]}),
        (("feed_forward", "W"), {"rows": [[[0, "1"], [0, "1"]]]}),
        (("feed_forward", "W"), {"rows": [[[0, 1]]]}),
        (("feed_forward", "W"), {"rows": [[]], "zero": True}),
        (("feed_forward", "U"), [["1.5"]]),
        (("feed_forward", "U"), "1"),
        (("self_attention", "heads"), []),
        (("self_attention", "heads", 0, "mask"), "past"),
        (("self_attention", "heads", 0, "ties"), ["last"]),
        (("self_attention", "heads", 0, "V"), {"outer": [["1"]]}),
        (("self_attention", "heads", 0, "V"), {"rows": [[], []]}),
        (("self_attention", "rho"), 1),
    ],
)
def test_other_block_lines_are_malformed(place, value):
    line = json.loads(json.dumps(GOOD))
    assert read_heads_block(line, 0, 1, "file").heads[0].mask == "upto"
    part = line
    for key in place[:-1]:
        part = part[key]
    part[place[-1]] = value
    with pytest.raises(Malformed):
        read_heads_block(line, 0, 1, "file")
