#!/usr/bin/env python3
"""coverage.py - prints executed lines and branches per folder of a coverage build

usage: coverage.py BUILD

Needs gcovr. Tests and the simulated NPU are not counted. BUILD/coverage.json keeps the
figures of each file.
"""

import json
import os
import subprocess
import sys

# gcovr cannot merge a function that a header defines at two places, for two compilers.
TWO_VARIANTS = r"lib/base/bytes16\.h$"
FOLDERS = r"^(cli|coordinator|inject|lib|parsers|probe|runner|worker)/"


def run_gcovr(build):
    output = os.path.join(build, "coverage.json")
    subprocess.run(
        ["gcovr", "--root", ".", "--object-directory", build, "--filter", FOLDERS,
         "--exclude", r".*_(test|fuzz)\.c$", "--exclude", TWO_VARIANTS,
         "--exclude-unreachable-branches",
         "--gcov-ignore-parse-errors", "--json-summary", output, "-j", "2", build],
        check=True, stdout=subprocess.DEVNULL,
    )
    with open(output, encoding="utf-8") as stream:
        return json.load(stream)["files"]


def percent(part, whole):
    return f"{100 * part / whole:5.1f} %" if whole else "      -"


def main():
    sums = {}
    for file in run_gcovr(sys.argv[1]):
        for folder in (os.path.dirname(file["filename"]), "in all"):
            total = sums.setdefault(folder, [0, 0, 0, 0])
            for i, key in enumerate(("line_covered", "line_total", "branch_covered", "branch_total")):
                total[i] += file[key]
    print(f"{'folder':32} {'lines':>8} {'executed':>8}  {'branches':>8} {'executed':>8}")
    for folder in sorted(sums, key=lambda name: (name == "in all", name)):
        lines, all_lines, branches, all_branches = sums[folder]
        print(f"{folder:32} {all_lines:8} {percent(lines, all_lines):>8}  "
              f"{all_branches:8} {percent(branches, all_branches):>8}")


if __name__ == "__main__":
    main()
