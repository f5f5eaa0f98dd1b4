#!/usr/bin/env python3
"""compare_page.py - compares compare.html with the JSON that `muster compare` prints

usage: compare_page.py PAGE CELLS LEVEL.json... (CELLS: without --by)
"""

import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from html_page import Page, rows_of # noqa: E402


def read_rows(path):
    with open(path, encoding="utf-8") as stream:
        return json.load(stream)["rows"]


def near(shown, printed):
    if shown is None or printed is None:
        return shown is printed
    return abs(shown - printed) <= 0.0011


def check_rows(table, printed, names):
    """Compares the columns whose name in the page is a key of `names`."""
    columns = [column["name"] for column in table["columns"]]
    rows = [dict(zip(columns, row)) for row in rows_of(table)]
    assert len(rows) == len(printed), (len(rows), len(printed))
    for shown, row in zip(rows, printed):
        for column, key in names.items():
            value = row[key]
            if isinstance(value, (int, float)):
                assert near(shown[column], value), (column, shown, row)
            else:
                assert (shown[column] or None) == (value or None), (column, shown, row)


NAMES = {"verdict": "verdict", "metric": "metric", "change, %": "change_percent",
         "low, %": "low_percent", "high, %": "high_percent", "reason": "reason"}
CELL_NAMES = {**NAMES, "point": "point", "kernel": "kernel", "rank": "rank", "base": "base",
              "new": "new", "n base": "n_base", "n new": "n_new"}


def main():
    with open(sys.argv[1], encoding="utf-8") as stream:
        page = Page(stream.read())
    check_rows(page.blocks["cell-table"], read_rows(sys.argv[2]), CELL_NAMES)
    for path in sys.argv[3:]:
        level = os.path.basename(path).split(".")[0]
        check_rows(page.blocks[f"{level}-table"], read_rows(path), NAMES)
    assert page.programs == 1, page.programs
    assert any("Simulated figures" in s for s in page.sentences), page.sentences


main()
