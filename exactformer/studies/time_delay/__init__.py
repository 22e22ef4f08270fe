"""Time-delayed transformers: linear recurrences with proofs, positive windows, and trained models with enclosures.

exact:     `series`, `recurrence`, `positive_window`, `network` (also evaluated in floats and balls), `rollout`
approx_:   `fit`, `approx_dmd`, `approx_training`, `approx_rollout`, `studies`
certified: `Recurrence.certify`, `NoRecurrence.certify`, `PositiveWindow.certify`; rollouts of floats by `enclosure`
"""

from exactformer.studies.time_delay.enclosure import enclose
from exactformer.studies.time_delay.fit import fit
from exactformer.studies.time_delay.network import DelayNetwork, contain, exact_rollout
from exactformer.studies.time_delay.network_file import read_network, write_network
from exactformer.studies.time_delay.positive_window import PositiveWindow, least_window, polynomial_of_tones
from exactformer.studies.time_delay.recurrence import NoRecurrence, Recurrence, least_order
from exactformer.studies.time_delay.series import Series

__all__ = [
    "DelayNetwork",
    "NoRecurrence",
    "PositiveWindow",
    "Recurrence",
    "Series",
    "contain",
    "enclose",
    "exact_rollout",
    "fit",
    "least_order",
    "least_window",
    "polynomial_of_tones",
    "read_network",
    "write_network",
]


def __dir__() -> list[str]:
    return sorted(__all__)
