"""figure.py - prints a figure of a benchmark as run.py reads it"""

import json


def print_figure(name, ratio, of, budget, holds):
    print(json.dumps({"name": name, "ratio": round(ratio, 4), "of": of, "budget": budget, "holds": holds},
                     separators=(",", ":")), flush=True)
