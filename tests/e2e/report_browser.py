#!/usr/bin/env python3
"""report_browser.py - uses report.html in headless Chromium: sorts, filters, folds, prints

usage: report_browser.py HUGE HOSTILE (two pages of report_store)
"""

import os
import statistics
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from browser import Browser # noqa: E402

TABLE = "document.getElementById('durations-table')"
ROWS = f"[...{TABLE}.querySelectorAll('tbody tr')]"
TEXTS = ROWS + ".map(row => [...row.cells].map(cell => cell.textContent))"


def check(condition, *what):
    if not condition:
        raise AssertionError(*what)


def click(browser, text):
    browser.evaluate(f"[...{TABLE}.querySelectorAll('button')]"
                     f".find(button => button.textContent === {text!r}).click()")


def set_filter(browser, text, matching):
    browser.evaluate(f"""(() => {{
        const input = {TABLE}.querySelector('input');
        input.value = {text!r};
        input.dispatchEvent(new Event('input'));
    }})()""")
    browser.wait_for(f"{TABLE}.querySelector('.count').textContent.startsWith({matching!r})")


def number(text):
    return float(text.replace(",", ""))


def use_table(browser):
    browser.evaluate(f"{TABLE}.scrollIntoView()")
    browser.wait_for(f"{ROWS}.length > 0")
    check(len(browser.evaluate(ROWS + ".map(row => row.className)")) == 200, "200 folded groups")
    # unfolding shows the members of a group, in their order
    browser.evaluate(ROWS + "[0].click()")
    rows = browser.evaluate(TEXTS)
    check(len(rows) == 200, f"a page has {len(rows)} rows")
    check({row[0] for row in rows[:65]} == {"m=64 n=1024"}, "members of the first group")
    check(rows[1][1] == "node-0:0" and rows[64][1] == "node-7:7", rows[1], rows[64])
    # sorting by the difference from all cards: the slow card comes first
    click(browser, "against all cards, %")
    rows = browser.evaluate(TEXTS)
    first = next(i for i, row in enumerate(rows) if row[1] == "node-1:5")
    check(rows[first - 1][1] == "64 different", "the slow card is the first of its group")
    check(browser.evaluate(f"{TABLE}.querySelector('[aria-sort]').getAttribute('aria-sort')")
          == "descending", "the head shows the order")
    click(browser, "against all cards, %")
    rows = [row for row in browser.evaluate(TEXTS) if row[1].startswith("node-")]
    changes = [number(row[6]) for row in rows]
    check(len(changes) == 64 and changes == sorted(changes), "ascending order", changes)
    # a filter shows the rows with all words
    set_filter(browser, "m=6400 node-1:5", "1 of 12,800 rows")
    set_filter(browser, "m=6400 -node-1:", "56 of 12,800 rows")
    set_filter(browser, "no such row", "0 of 12,800 rows")
    set_filter(browser, "", "12,800 rows")
    # pages
    click(browser, "unfold all")
    check("page 1 of 65" in browser.evaluate(f"{TABLE}.querySelector('.count').textContent"),
          "12,800 rows and 200 groups are 65 pages")
    click(browser, "next ›")
    check("page 2 of 65" in browser.evaluate(f"{TABLE}.querySelector('.count').textContent"))
    click(browser, "fold all")
    check(browser.evaluate(ROWS + ".every(row => row.classList.contains('fold'))"), "fold all")
    browser.evaluate(ROWS + "[1].dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter'}))")
    check(browser.evaluate(ROWS + ".some(row => !row.classList.contains('fold'))"), "the key Enter")


def use_plots(browser):
    fields = "document.querySelectorAll('#card-heat rect[data-at]')"
    check(browser.evaluate(fields + ".length") == 12800, "a field for each cell")
    # the tooltip of a field has its value
    data = browser.evaluate("document.getElementById('card-heat').data")
    browser.evaluate(fields + "[64 + 13].dispatchEvent(new PointerEvent('pointerover',"
                              " {bubbles: true, clientX: 400, clientY: 300}))")
    tip = browser.evaluate("document.querySelector('.tip:not([hidden])').textContent")
    check(tip.split("\n") == [data["rows"][1], data["columns"][13],
                              f"+{data['values'][1][13]:.2f} %"], tip)
    strongest = browser.evaluate(fields + "[64 + 13].getAttribute('class')")
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


def colours(browser, scheme, width):
    browser.set_media(scheme)
    browser.resize(width)
    check(browser.evaluate("document.documentElement.scrollWidth") <= width,
          f"the page is wider than {width} pixels")
    return browser.evaluate("getComputedStyle(document.body).backgroundColor")


def print_page(browser):
    browser.set_media("dark")
    pdf = browser.call("Page.printToPDF", printBackground=True)["data"]
    check(len(pdf) > 100000, f"the printed page has {len(pdf)} characters")
    # afterprint has restored the pages of the table
    browser.wait_for(ROWS + ".length <= 200")


def use_huge(browser, path):
    browser.resize(1300)
    browser.open(path)
    browser.wait_for("document.querySelector('#card-heat svg')")
    ms = browser.evaluate("performance.now()")
    use_plots(browser)
    use_table(browser)
    use_cards(browser)
    use_sections(browser)
    light = [colours(browser, "light", width) for width in (1300, 800)]
    dark = [colours(browser, "dark", width) for width in (1300, 800)]
    check(light[0] == light[1] and dark[0] == dark[1] and light[0] != dark[0], light, dark)
    print_page(browser)
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
    browser.evaluate(f"{TABLE}.scrollIntoView()")
    browser.wait_for(f"{ROWS}.length > 0")
    click(browser, "unfold all")
    check(browser.evaluate("typeof hacked") == "undefined", "a name was executed")
    check(browser.evaluate("document.querySelectorAll('img, i:not([class]), script:not([type])').length") == 1,
          "a name became an element")
    check(browser.evaluate("document.documentElement.scrollWidth") <= 800, "a long name widens the page")
    cell = ROWS + "[0].cells[0]"
    check(len(browser.evaluate(cell + ".textContent")) < 100, "a long name is shortened")
    title = browser.evaluate(cell + ".title")
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
