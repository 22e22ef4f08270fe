"""proofs-check CERT [--data FILE] [--json]: exit 0 accepted, 1 rejected, 2 usage, 3 malformed, 4 declined, 70 a bug."""

import argparse
import json
import sys
from dataclasses import asdict, fields

from . import check
from .core.budget import Limits


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="proofs-check", description="Verify a certificate; say what it proves.")
    parser.add_argument("certificate")
    parser.add_argument("--data", help="the data set or token file (JSON) that the certificate must be about")
    parser.add_argument("--weights", help="the weight string of the network, where the certificate only has its digest")
    parser.add_argument("--json", action="store_true", help="print the verdict as one JSON object")
    parser.add_argument("--plain", action="store_true", help="check by the definitions alone, without short cuts")
    parser.add_argument("--workers", type=int, default=1, help="processes, for `interpolation`; default %(default)s")
    for limit in fields(Limits):
        parser.add_argument(f"--max-{limit.name}", type=int, default=limit.default, help="default %(default)s")
    given = vars(parser.parse_args(arguments))
    if given["plain"] and given["workers"] != 1:
        parser.error("--plain is one process; leave --workers out")
    try:
        limits = Limits(*[max(1, min(given[f"max_{limit.name}"], 2**62)) for limit in fields(Limits)])
        workers = max(1, min(given["workers"], 64))
        found = check(given["certificate"], given["data"], limits, workers, given["weights"], given["plain"])
    except OSError as error:
        parser.error(str(error))
    except Exception as error:
        print(f"proofs-check: a bug, nothing is proved: {type(error).__name__}: {error}"[:400], file=sys.stderr)
        return 70
    place = f" ({found.where})" if found.where else ""
    print(json.dumps(asdict(found)) if given["json"] else f"{found.verdict}{place}: {found.why}")
    if found.verdict == "accepted" and not given["json"]:
        print(found.others)
    return {"accepted": 0, "rejected": 1, "malformed": 3, "declined": 4}[found.verdict]


if __name__ == "__main__":
    sys.exit(main())
