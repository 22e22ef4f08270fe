"""What makes the checker fast, and nothing else: without it (`--plain`) every definition is evaluated as it stands."""

from functools import partial

from ..core.certificate import Ways
from ..core.definitions import one_after_the_other
from .means import together
from .quick_attention import QuickAttention
from .sequence_text import sequence_reader
from .short_cuts import brackets_outside_strings, read_ratios
from .sums_of_units import QuickFeedForward
from .workers import Crew, by_crew

SHORT_CUTS = Ways(
    brackets_outside_strings,
    read_ratios,
    sequence_reader,
    QuickFeedForward,
    QuickAttention,
    together,
    one_after_the_other,
)


def quick_ways(workers: int | Crew) -> Ways:
    """The short cuts, with sequence lines verified by so many processes, or by a crew of the caller's."""
    if not isinstance(workers, int):
        return SHORT_CUTS._replace(run=partial(by_crew, workers))
    if workers == 1:
        return SHORT_CUTS
    from .pool import by_processes  # nobody else needs processes

    return SHORT_CUTS._replace(run=partial(by_processes, workers))
