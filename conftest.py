"""What every test shares: one Hypothesis profile, one thread, interrupts, what not to import, what begins first."""

import os
import signal
from importlib.util import find_spec

import pytest
from hypothesis import HealthCheck, settings

# two workers with threads of BLAS each would wait for each other's; read when NumPy is imported
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

#: no deadlines and no complaints about speed: a test says what is true, not how fast the machine is today
settings.register_profile(
    "exactformer", deadline=None, derandomize=True, print_blob=True, suppress_health_check=list(HealthCheck)
)
settings.load_profile("exactformer")

collect_ignore = [] if find_spec("torch") else ["exactformer/evaluate/torch_module.py"]

# the children of a job in the background would inherit deafness to interrupts, which tests send them
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What waits for coqc begins first: two workers then end together."""
    items.sort(key=lambda item: "rocq" not in item.nodeid)
