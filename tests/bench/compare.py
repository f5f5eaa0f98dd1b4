#!/usr/bin/env python3
"""compare.py - compares two results of `make bench`

usage: compare.py OLD.json NEW.json

Prints each figure with its old and new ratio and the change. Ends with 1 when a figure
that held its budget falls short now, or failed, or is missing.
"""

import json
import sys

NOTABLE = 0.10  # a smaller change is within what two runs of the same build differ by


def read(path):
    with open(path, encoding="utf-8") as stream:
        return {figure["name"]: figure for figure in json.load(stream)}


def describe(figure):
    if figure is None:
        return "-"
    if "ratio" in figure:
        return f"{figure['ratio']:.3f}"
    return "skipped" if "skipped" in figure else "FAILED"


def change_of(old, new):
    """Returns the text for the last column."""
    if not old or "ratio" not in old or "ratio" not in new or not old["ratio"]:
        return ""
    change = new["ratio"] / old["ratio"] - 1
    text = f"{100 * change:+6.1f} %"
    if abs(change) < NOTABLE or new["budget"][:2] not in ("<=", ">="):
        return text
    return text + (" better" if (change < 0) == (new["budget"][:2] == "<=") else " worse")


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: compare.py OLD.json NEW.json (make bench-compare OLD=... NEW=...)")
    before, after = read(sys.argv[1]), read(sys.argv[2])
    lost = []
    print(f"{'figure':<38} {'old':>10} {'new':>10}  change")
    for name in sorted(before.keys() | after.keys()):
        old, new = before.get(name), after.get(name)
        change = change_of(old, new) if new else ""
        held = old is not None and old.get("holds", False)
        if held and (new is None or "failed" in new or not new.get("holds", "skipped" in new)):
            lost.append(name)
            change += "  FALLS SHORT NOW" if new else "  MISSING"
        print(f"{name:<38} {describe(old):>10} {describe(new):>10}  {change}")
    for name in lost:
        print(f"compare.py: {name} held its budget in {sys.argv[1]} and does not in {sys.argv[2]}",
              file=sys.stderr)
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
