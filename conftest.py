"""What pytest must not import: modules of optional dependencies that are not installed."""

from importlib.util import find_spec

collect_ignore = [] if find_spec("torch") else ["exactformer/crosscheck/torch_module.py"]
