#!/usr/bin/env python3
"""fuzz_seeds.py - writes the sessions of the folder golden as inputs of viewer_fuzz

usage: fuzz_seeds.py FOLDER
"""

import json
import os
import sys

GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "golden")
FILE_MAX = 30000  # bytes of the file in a seed; the fuzzer accepts 64 KiB


def main(folder):
    for name in ("vector", "mix", "mc2_rank0", "mix_310p"):
        with open(os.path.join(GOLDEN, name + ".json"), encoding="utf-8") as stream:
            session = json.load(stream)
        with open(os.path.join(GOLDEN, name + ".bin"), "rb") as stream:
            file = stream.read(FILE_MAX)
        requests = {}
        for pair in session["pairs"]:
            pair["request"]["params"].pop("dataSource", None)
            requests.setdefault(pair["request"]["command"], json.dumps(pair["request"]))
        lines = "\n".join(requests.values()).replace(session["path"], "/a.bin")
        with open(os.path.join(folder, name), "wb") as stream:
            stream.write(lines.encode() + b"\n!" + file)


main(sys.argv[1])
