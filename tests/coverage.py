#!/usr/bin/env python3
"""coverage.py - prints executed lines and branches per folder of a coverage build

usage: coverage.py [--compare | --write] BUILD

Needs gcovr. Tests and the simulated NPU are not counted. BUILD/coverage.json keeps the
figures of each file. --write stores the shares of all folders in tests/coverage.txt.
--compare names each folder whose share is more than one per cent below the stored one;
the exit code is then 1.
"""

import argparse
import json
import os
import subprocess
import sys

# gcovr cannot merge a function that a header defines at two places, for two compilers.
TWO_VARIANTS = r"lib/base/bytes16\.h$"
TOTAL = "all folders"
STORED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "coverage.txt")
ALLOWED = 1.0 # per cent of the whole folder; a small change of the code may cost that much
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


def add_up(files):
    """Returns {folder: (lines, executed lines, branches, executed branches)}."""
    keys = ("line_total", "line_covered", "branch_total", "branch_covered")
    sums = {}
    for file in files:
        for folder in (os.path.dirname(file["filename"]), TOTAL):
            total = sums.get(folder, (0, 0, 0, 0))
            sums[folder] = tuple(a + file[key] for a, key in zip(total, keys))
    return dict(sorted(sums.items(), key=lambda item: (item[0] == TOTAL, item[0])))


def share(part, whole):
    return round(100 * part / whole, 1) if whole else 100.0


def print_table(sums):
    print(f"{'folder':32} {'lines':>8} {'executed':>10} {'branches':>9} {'executed':>10}")
    for folder, (lines, seen_lines, branches, seen_branches) in sums.items():
        print(f"{folder:32} {lines:8} {share(seen_lines, lines):8} % "
              f"{branches:9} {share(seen_branches, branches):8} %")


def read_stored():
    """Returns {folder: (share of lines, share of branches)}."""
    stored = {}
    with open(STORED, encoding="utf-8") as stream:
        for line in stream:
            if not line.startswith("#"):
                folder, lines, branches = line.rsplit(maxsplit=2)
                stored[folder] = (float(lines), float(branches))
    return stored


def write_stored(sums):
    with open(STORED, "w", encoding="utf-8") as stream:
        stream.write("# per cent of the lines and branches that unit tests execute;"
                     " tests/coverage.py --write\n")
        for folder, (lines, seen_lines, branches, seen_branches) in sums.items():
            stream.write(f"{folder} {share(seen_lines, lines)} {share(seen_branches, branches)}\n")


def find_losses(sums, stored):
    """Returns a line for each folder that has lost more than ALLOWED."""
    losses = []
    for folder, before in stored.items():
        if folder not in sums:
            continue # the folder does not exist any more
        lines, seen_lines, branches, seen_branches = sums[folder]
        now = (share(seen_lines, lines), share(seen_branches, branches))
        for what, old, new in zip(("lines", "branches"), before, now):
            if new < old - ALLOWED:
                losses.append(f"coverage: {folder}: {new} % of the {what}, {old} % before; "
                              "add unit tests, or run tests/coverage.py --write")
    return losses


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--compare", action="store_true")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("build")
    options = parser.parse_args()
    sums = add_up(run_gcovr(options.build))
    print_table(sums)
    if options.write:
        write_stored(sums)
    losses = find_losses(sums, read_stored()) if options.compare else []
    print(*losses, sep="\n", file=sys.stderr, end="\n" if losses else "")
    return 1 if losses else 0


if __name__ == "__main__":
    sys.exit(main())
