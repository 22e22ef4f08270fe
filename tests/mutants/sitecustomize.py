"""Read by every Python that is started beneath a planted bug: it has the bug too."""

import json
import os

if "EXACTFORMER_MUTANT" in os.environ:
    from planting import plant

    plant(*json.loads(os.environ["EXACTFORMER_MUTANT"]))
