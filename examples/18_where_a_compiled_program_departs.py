"""Compiled RASP programs against their programs: a lost tie, a ramp that is too wide, attention that is too soft.

Without an argument three tiny models made by hand are read; give a folder of exports of tracr (NPZ, JSON and runs) to
read those: python examples/18_where_a_compiled_program_departs.py FOLDER
"""

import sys
from pathlib import Path

from exactformer.languages.tracr import read_tracr
from exactformer.languages.tracr_report import approx_runs, read_runs, repaired, report_of

folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "tracr_exports"
for path in sorted(folder.glob("*.npz")):
    model, runs = read_tracr(path), read_runs(path)
    found = report_of(model, runs)
    print(f"{path.stem}: {found.inputs} inputs, exact right on {found.exact_agrees}, floats on {found.float_agrees}")
    for cause in found.causes:
        print(f"  {cause.cause}, {cause.inputs} inputs: {cause.why}")
    better = repaired(model)
    after = report_of(better, approx_runs(better, runs))
    up_to = f"all inputs up to {model.most}" if after.complete else f"{after.inputs} inputs"
    print(f"  repaired: exact right on {after.exact_agrees}, floats on {after.float_agrees} of {up_to}")
