#!/usr/bin/env python3
"""report_browser.py - uses report.html in headless Chromium: sorts, filters, folds, prints

usage: report_browser.py HUGE HOSTILE (two pages of report_store)
"""

import os
import statistics
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from browser import Browser # noqa: E402
from page_table import (PageTable, check, check_colours, check_field, check_print, # noqa: E402
                        number)


def use_table(browser):
    table = PageTable(browser, "durations-table")
    table.show()
    check(len(table.rows()) == 200, "200 folded groups")
    # unfolding shows the members of a group, in their order
    table.of_rows("[0].click()")
    rows = table.rows()
    check(len(rows) == 200, f"a page has {len(rows)} rows")
    check({row[0] for row in rows[:65]} == {"m=64 n=1024"}, "members of the first group")
    check(rows[1][1] == "node-0:0" and rows[64][1] == "node-7:7", rows[1], rows[64])
    # sorting by the difference from all cards: the slow card comes first
    table.click("against all cards, %")
    rows = table.rows()
    first = next(i for i, row in enumerate(rows) if row[1] == "node-1:5")
    check(rows[first - 1][1] == "64 different", "the slow card is the first of its group")
    check(table.order() == "descending", "the head shows the order")
    table.click("against all cards, %")
    rows = [row for row in table.rows() if row[1].startswith("node-")]
    changes = [number(row[6]) for row in rows]
    check(len(changes) == 64 and changes == sorted(changes), "ascending order", changes)
    # a filter shows the rows with all words
    table.filter("m=6400 node-1:5", "1 of 12,800 rows")
    table.filter("m=6400 -node-1:", "56 of 12,800 rows")
    table.filter("no such row", "0 of 12,800 rows")
    table.filter("", "12,800 rows")
    # pages
    table.click("unfold all")
    check("page 1 of 65" in table.count(), "12,800 rows and 200 groups are 65 pages")
    table.click("next ›")
    check("page 2 of 65" in table.count())
    table.click("fold all")
    check(table.of_rows(".every(row => row.classList.contains('fold'))"), "fold all")
    table.of_rows("[1].dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter'}))")
    check(table.of_rows(".some(row => !row.classList.contains('fold'))"), "the key Enter")
    return table


def use_plots(browser):
    fields = "document.querySelectorAll('#card-heat rect[data-at]')"
    check(browser.evaluate(fields + ".length") == 12800, "a field for each cell")
    strongest = check_field(browser, "card-heat", 1, 13, "%")
    check(strongest == "h6 hot", "the slow card has the strongest colour", strongest)
    for plot in ("distributions", "pipe-heat", "roofline-plot"):
        browser.evaluate(f"document.getElementById('{plot}').scrollIntoView()")
        browser.wait_for(f"document.querySelector('#{plot} svg')")
    check(browser.evaluate("document.querySelectorAll('#roofline-plot circle').length") == 200,
          "a point for each shape")
    quartiles = browser.evaluate("document.querySelectorAll('#distributions .quartiles').length")
    check(quartiles == 200, f"{quartiles} boxes")


def use_sections(browser):
    links = browser.evaluate("[...document.querySelectorAll('.contents a')].map(a => a.hash)")
    check("#durations" in links and "#pedigree" in links, links)
    browser.evaluate("document.getElementById('roofline').open = false")
    browser.evaluate("location.hash = '#roofline'")
    browser.wait_for("document.getElementById('roofline').open")


def use_huge(browser, path):
    browser.resize(1300)
    browser.open(path)
    browser.wait_for("document.querySelector('#card-heat svg')")
    ms = browser.evaluate("performance.now()")
    use_plots(browser)
    table = use_table(browser)
    use_cards(browser)
    use_sections(browser)
    check_colours(browser)
    check_print(browser, table)
    check(browser.complaints() == [], browser.complaints())
    check(browser.requests() == [], browser.requests())
    return ms


def use_cards(browser):
    """No card has a serial number, so that column is not drawn."""
    head = "[...document.querySelectorAll('#card-table th')].map(head => head.textContent)"
    browser.evaluate("document.getElementById('card-table').scrollIntoView()")
    browser.wait_for(head + ".length")
    names = browser.evaluate(head)
    check(names == ["host", "card", "model", "kernels and shapes", "against all cards, %"], names)


def use_hostile(browser, path):
    browser.resize(800)
    browser.set_media("light")
    browser.open(path)
    table = PageTable(browser, "durations-table")
    table.show()
    table.click("unfold all")
    check(browser.evaluate("typeof hacked") == "undefined", "a name was executed")
    check(browser.evaluate("document.querySelectorAll('img, i:not([class]), script:not([type])').length") == 1,
          "a name became an element")
    check(browser.evaluate("document.documentElement.scrollWidth") <= 800, "a long name widens the page")
    check(len(table.rows()[0][0]) < 100, "a long name is shortened")
    title = table.of_rows("[0].cells[0].title")
    check("</script><script>hacked=1</script>" in title and len(title) > 4096, "its tooltip")
    check(browser.complaints() == [] and browser.requests() == [], browser.complaints())


def main():
    browser = Browser()
    try:
        opened = [use_huge(browser, sys.argv[1])]
        use_hostile(browser, sys.argv[2])
        for _ in range(2):
            browser.resize(1300)
            browser.open(sys.argv[1])
            browser.wait_for("document.querySelector('#card-heat svg')")
            opened.append(browser.evaluate("performance.now()"))
        print(f"the page of 12,800 cells was opened and drawn after {statistics.median(opened):.0f} ms")
    finally:
        browser.close()


main()
