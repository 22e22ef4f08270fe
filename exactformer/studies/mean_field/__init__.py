"""Many tokens on the sphere at low temperature: the limit exactly, the phases measured, the bounds certified.

exact:     `system`, `spectrum`, `no_dominant`, `zero_temperature`, `laplace`, `enclosure`, `counterexamples`,
           `families`
approx_:   every module whose name says so: simulation (`approx_run`), distances, phases
certified: `ZeroTemperature.certify` (claim `zero-temperature`), `Laplace.certify` (`laplace`), the counterexamples
"""

from __future__ import annotations

from exactformer.studies.mean_field.approx_run import Simulation, approx_simulation
from exactformer.studies.mean_field.enclosure import EulerOrbit, enclose
from exactformer.studies.mean_field.laplace import Laplace, laplace_bound
from exactformer.studies.mean_field.no_dominant import NoDominant
from exactformer.studies.mean_field.spectrum import Dominant, dominant
from exactformer.studies.mean_field.system import System
from exactformer.studies.mean_field.zero_temperature import ZeroTemperature, limit

__all__ = [
    "Dominant",
    "EulerOrbit",
    "Laplace",
    "NoDominant",
    "Simulation",
    "System",
    "ZeroTemperature",
    "approx_simulation",
    "dominant",
    "enclose",
    "laplace_bound",
    "limit",
]


def __dir__() -> list[str]:
    return sorted(__all__)
