#!/usr/bin/env python3
"""fused.py - compares the results of fused operators with their definitions

usage: fused.py [--ranks LIST] [--chip NAME] [--only TEXT | --case NAME | --list] [--replace]

Each case of the families in fused_*.py runs on 2, 4 and 8 ranks; each rank is a thread
with a card. A case that the chip does not have, or that needs another number of ranks, is
left out. Prints a line for each difference and the number of cases.
"""
import argparse
import importlib
import pathlib
import sys

import aclnn
import replaced

FAMILIES = sorted(path.stem for path in pathlib.Path(__file__).parent.glob("fused_*.py"))


def fits(case, chip, ranks):
    """A case is (name, function, part of the chip's name, numbers of ranks); both may be missing."""
    return (len(case) < 3 or case[2] in chip) and (len(case) < 4 or ranks in case[3])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ranks", default="2,4,8", help="numbers of ranks")
    parser.add_argument("--only", default="", help="run the cases whose name contains this")
    parser.add_argument("--case", default="", help="run only this case")
    parser.add_argument("--list", action="store_true", help="print the names of the cases, and run none")
    parser.add_argument("--chip", default="Ascend910B2", help="the simulated chip")
    parser.add_argument("--replace", action="store_true", help="before the first call of each function, replace each argument in turn")
    options = parser.parse_args()
    replacer = replaced.Replacer()
    if options.replace:
        replacer.install()
    bad = count = 0
    for family in FAMILIES:
        module = importlib.import_module(family)
        for ranks in [int(v) for v in options.ranks.split(",")]:
            cases = [c for c in module.CASES if options.only in c[0] and options.case in ("", c[0]) and
                     fits(c, options.chip, ranks)]
            if options.list:
                print("".join(c[0] + "\n" for c in cases), end="")
            if not cases or options.list:
                count += len(cases)
                continue

            def run(me, cases=cases):
                return [(case[0], case[1](me)) for case in cases]

            for rank, results in enumerate(aclnn.run_ranks(ranks, run)):
                for name, differences in results:
                    count += 1
                    for text in differences:
                        print(f"{name}: rank {rank} of {ranks}: {text}")
                        bad = 1
    for text in replacer.bad:
        print(text)
        bad = 1
    if not options.list:
        print(f"{count} results compared, {replacer.count} arguments replaced")
    return bad if count else 1


if __name__ == "__main__":
    sys.exit(main())
