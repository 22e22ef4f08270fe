"""What every test shares: one Hypothesis profile, and what pytest must not import where an extra is missing."""

from importlib.util import find_spec

from hypothesis import HealthCheck, settings

#: no deadlines and no complaints about speed: a test says what is true, not how fast the machine is today
settings.register_profile(
    "exactformer", deadline=None, derandomize=True, print_blob=True, suppress_health_check=list(HealthCheck)
)
settings.load_profile("exactformer")

collect_ignore = [] if find_spec("torch") else ["exactformer/crosscheck/torch_module.py"]
