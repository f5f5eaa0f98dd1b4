#!/usr/bin/env python3
"""gate_browser.py - uses gate.html in headless Chromium: sorts, filters, folds, prints

usage: gate_browser.py GATE (folder of the files of a gate over two jobs of report_store)
"""

import json
import os
import statistics
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from browser import Browser # noqa: E402
from page_table import (PageTable, check, check_colours, check_field, check_print, # noqa: E402
                        number)

SLOW_CARD, SLOW_POINT, FAST_POINT = "SN0013", "m=512 n=1024", "m=640 n=1024"


def use_head(browser, gate):
    check(browser.evaluate("document.querySelector('h1').textContent") == gate["sentence"])
    check(browser.evaluate("document.querySelector('h1').className") == "verdict bad")
    tiles = browser.evaluate("[...document.querySelectorAll('.tile')].map(t => t.textContent.trim())")
    counted = {name: count for name, count in gate["counts"].items() if count}
    check(tiles == [f"{count}\n{'cell' if count == 1 else 'cells'}: {name}" for name, count in counted.items()], tiles, counted)
    links = browser.evaluate("[...document.querySelectorAll('.contents a')].map(a => a.hash)")
    check(links == ["#improved", "#slower", "#points", "#changes", "#cells"], links)
    check(len(gate["reasons"]) == 2, gate["reasons"])
    slow = " ".join(reason["text"] for reason in gate["reasons"])
    check(f"200 points of kernel matmul_kernel are " in slow and
          f" % slower, because of card {SLOW_CARD} of host node-1; not confirmed" in slow, slow)
    check(f"point {SLOW_POINT} of kernel matmul_kernel is " in slow and
          "on 64 cards, because of its code; not confirmed" in slow, slow)
    for section, sentences in ("improved", gate["improved"]), ("slower", [
            reason["text"] for reason in gate["reasons"]]):
        texts = browser.evaluate(
            f"[...document.querySelectorAll('#{section} li')].map(item => item.textContent)")
        check(texts == sentences and texts, section, texts)


def use_points(browser):
    points = PageTable(browser, "point-table")
    points.show()
    rows = points.rows()
    check(len(rows) == 200 and rows[0][2] == SLOW_POINT, "the slow point is the first", rows[0])
    check(rows[0][0] == "regressed" and 4.5 < number(rows[0][4]) < 5.5, "all cards", rows[0])
    check(10 < number(rows[0][6]) < 13, "the slow point on the slow card", rows[0])
    check(rows[-1][2] == FAST_POINT and -20.3 < number(rows[-1][4]) < -19.7, rows[-1])
    check(rows[-1][0] == "improved", rows[-1])
    check(all(row[5] == SLOW_CARD for row in rows), "the worst cell of each point")
    check(all(row[0] == "same" for row in rows[1:-1]), "verdicts of points that did not change")
    check(points.order() == "descending")
    points.filter("m=512", "2 of 200 rows") # also m=5120
    points.filter("", "200 rows")
    points.click("worst base")
    bases = [number(row[7]) for row in points.rows()]
    check(bases == sorted(bases, reverse=True), "sorted by the base of the worst card", bases)


def use_changes(browser):
    browser.evaluate("document.getElementById('change-heat').scrollIntoView()")
    browser.wait_for("document.querySelector('#change-heat svg')")
    fields = browser.evaluate("document.querySelectorAll('#change-heat rect[data-at]').length")
    check(fields == 12800, f"{fields} fields")
    data = browser.evaluate("document.getElementById('change-heat').data")
    check(data["columns"] == [f"SN{card:04d}" for card in range(64)], data["columns"])
    check(data["rows"] == [f"m={64 * m} n=1024" for m in range(1, 201)], data["rows"][:9])
    row = next(i for i, name in enumerate(data["rows"]) if name.endswith(SLOW_POINT))
    column = data["columns"].index(SLOW_CARD)
    check(check_field(browser, "change-heat", row, column, "%") == "h6 hot", "strongest colour")
    on_card = statistics.median(line[column] for line in data["values"])
    check(5 < on_card < 7, "the slow card", on_card)
    check(abs(statistics.median(line[0] for line in data["values"])) < 0.3, "another card")


def use_cells(browser):
    cells = PageTable(browser, "cell-table")
    cells.show()
    check(len(cells.rows()) == 200, "a row for each point")
    check(cells.of_rows(".every(row => row.classList.contains('fold'))"), "folded at first")
    cells.filter(f"m=512 -m=5120 {SLOW_CARD}", "1 of 12,800 rows")
    cells.click("unfold all")
    group, cell = cells.rows()
    check(group[1] == cell[1] == SLOW_POINT and cell[4] == SLOW_CARD, cell)
    base, new, change = (number(cell[i]) for i in (6, 7, 9))
    check(abs(100 * (new / base - 1) - change) < 1, "the change is that of the medians", cell)
    check(10 < change < 13, "slow point on the slow card", cell)
    cells.filter("same", "12,474 of 12,800 rows")
    cells.filter("", "12,800 rows")
    check("page 1 of 65" in cells.count(), cells.count())
    cells.click("fold all")
    return cells


def main():
    with open(os.path.join(sys.argv[1], "gate.json"), encoding="utf-8") as file:
        gate = json.load(file)
    page = os.path.join(sys.argv[1], "gate.html")
    check(os.path.getsize(page) < 10e6, "10 MB")
    browser = Browser()
    try:
        browser.resize(1300)
        browser.open(page)
        browser.wait_for("document.querySelector('#point-table tbody tr')")
        opened = browser.evaluate("performance.now()")
        use_head(browser, gate)
        use_points(browser)
        use_changes(browser)
        cells = use_cells(browser)
        check_colours(browser)
        check_print(browser, cells)
        check(browser.complaints() == [], browser.complaints())
        check(browser.requests() == [], browser.requests())
        print(f"the page of 12,800 cells and {os.path.getsize(page)} bytes was opened and "
              f"drawn after {opened:.0f} ms")
    finally:
        browser.close()


main()
