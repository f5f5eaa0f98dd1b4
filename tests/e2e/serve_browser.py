#!/usr/bin/env python3
"""serve_browser.py - uses the pages of `muster serve` in headless Chromium

usage: serve_browser.py OUT [HOSTILE NIGHTS] (folders of results that report_store and
serve_nights wrote)

With OUT alone it uses the pages of jobs, points and cards; with all folders the timelines,
names with markup, and the pages of comparisons. Both can run at the same time.
"""

import base64
import json
import os
import sqlite3
import statistics
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from browser import Browser # noqa: E402
from server import Server # noqa: E402
import serve_trace # noqa: E402

CELLS = "[...document.querySelectorAll('main table.rows tbody tr')].map(row => [...row.cells].map(cell => cell.textContent))"
SHOTS = os.environ.get("MUSTER_TEST_KEEP_DIR")


def check(condition, *what):
    if not condition:
        raise AssertionError(*what)


class Pages:
    def __init__(self, browser, server):
        self.browser, self.server = browser, server
        self.address = f"http://{server.host}"

    def open(self, path, ready=None):
        self.leave()
        self.browser.open(self.address + path)
        self.browser.wait_for(f"document.body.dataset.ready === {(ready or path.split('?')[0])!r}")

    def leave(self):
        """Ends the page, which could complain while the next one opens."""
        self.browser.call("Page.navigate", url="about:blank")
        self.browser.wait_for("location.href === 'about:blank'")

    def cells(self):
        return self.browser.evaluate(CELLS)

    def click(self, selector):
        self.browser.evaluate(f"document.querySelector({selector!r}).click()")

    def press(self, key):
        for kind in ("keyDown", "keyUp"):
            self.browser.call("Input.dispatchKeyEvent", type=kind, key=key, text=key if len(key) == 1 else "")

    def check_clean(self, name):
        """No error, nothing from another place, and nothing wider than the page."""
        check(self.browser.complaints() == [], name, self.browser.complaints())
        foreign = [url for url in self.browser.requests() if not url.startswith(self.address + "/")]
        check(foreign == [], name, foreign)
        for width in (1300, 800):
            self.browser.resize(width)
            self.browser.evaluate("new Promise(done => requestAnimationFrame(done))")
            wide = self.browser.evaluate("document.documentElement.scrollWidth - innerWidth")
            check(wide <= 0, name, width, wide)
            self.shoot(f"{name}-{width}")

    def shoot(self, name):
        """Writes a picture for people, when a folder is given."""
        if SHOTS:
            shot = self.browser.call("Page.captureScreenshot")["data"]
            with open(os.path.join(SHOTS, name + ".png"), "wb") as file:
                file.write(base64.b64decode(shot))


def use_jobs(pages):
    pages.open("/")
    check([row[:2] for row in pages.cells()] == [["report-1", "done"]], pages.cells())
    pages.browser.wait_for("document.getElementById('live').textContent === 'live'")
    pages.check_clean("jobs")
    # a link changes the page without a new document, and the browser goes back
    pages.browser.evaluate("window.stays = true")
    pages.press("j")
    check(pages.browser.evaluate("document.activeElement.textContent") == "report-1", "the key j")
    pages.click("main tbody a")
    pages.browser.wait_for("document.body.dataset.ready === '/jobs/1'")
    check(pages.browser.evaluate("window.stays && document.title") == "Job 1 - muster", "the title")
    pages.browser.evaluate("history.back()")
    pages.browser.wait_for("document.title === 'Jobs - muster'")


def use_map(pages, out):
    """The text of a field is what the store has."""
    pages.open("/jobs/1")
    pages.browser.wait_for("document.querySelector('main select option')")
    database = sqlite3.connect(os.path.join(out, "store", "muster.db"))
    values = [value for value, in database.execute(
        "select value from v_results where metric = 'duration_us' and point_text like 'm=64 %'"
        " and host = 'node-1' and card = 5")]
    database.close()
    check(len(values) == 2, values)
    for _ in range(13):
        pages.browser.evaluate("document.querySelector('canvas').dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight'}))")
    text = pages.browser.evaluate("document.querySelector('main p[role=status]').textContent")
    median = float(f"{statistics.median(values):.6g}")
    check(text.startswith(f"m=64 n=1024 on node-1:5: {median} us, median of 2; "), text, median)
    colour = pages.browser.evaluate("(() => { const c = document.querySelector('canvas'); return [...c.getContext('2d')"
                                    ".getImageData(c.width / 2, 100, 1, 1).data].join(); })()")
    check(colour != "0,0,0,0", "the map is empty")
    pages.check_clean("map")
    requests = {url for url in pages.browser.requests() if "/api/v1/jobs/1" in url}
    check(len(requests) == 3, requests)

    def sort(order):
        pages.browser.evaluate("""(() => {
            const order = document.querySelector('select[aria-label="Order of the points"]');
            order.value = '%s';
            order.dispatchEvent(new Event('change'));
        })()""" % order)
    picture = "document.querySelector('canvas').toDataURL()"
    in_order = pages.browser.evaluate(picture)
    sort("-median")
    pages.browser.wait_for(f"{picture} !== {in_order!r}")
    use_late_answers(pages, (lambda: sort("median"), "sort=median"), (lambda: sort("-median"), "sort=-median"),
                     picture, "/api/v1/jobs/1/metrics")
    pages.browser.evaluate("document.querySelector('canvas').dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter'}))")
    pages.browser.wait_for("document.title.startsWith('Point ')")


def use_tables(pages):
    pages.open("/jobs/1?tab=tasks")
    check(len(pages.cells()) == 100 and pages.browser.evaluate("document.querySelector('.count').textContent")
          == "1 to 100 of 1,600 rows", "the first page")
    pages.press("n")
    pages.browser.wait_for("document.querySelector('.count').textContent === '101 to 200 of 1,600 rows'")
    turn_there_and_back(pages, "after=200", "after=100")
    address = pages.browser.evaluate("location.href")
    check(address.endswith("/jobs/1?tab=tasks&tasks.after=100"), address)
    pages.click("th[data-name=point] button")
    pages.browser.wait_for("document.querySelector('th[data-name=point]').ariaSort === 'descending'")
    pages.browser.wait_for("document.querySelector('main tbody td').textContent === '799'")
    pages.browser.evaluate("""(() => {
        document.querySelector('main select').value = 'host';
        const input = document.querySelector('main input');
        input.value = 'node-1';
        input.dispatchEvent(new Event('input'));
    })()""")
    pages.browser.wait_for("document.querySelector('.count').textContent === '1 to 100 of 800 rows'")
    pages.check_clean("tasks")
    rows = pages.cells()
    # the address shows the same rows in another tab
    pages.open(pages.browser.evaluate("location.pathname + location.search"), "/jobs/1")
    check(pages.cells() == rows, pages.cells()[:2], rows[:2])
    pages.open("/jobs/1?tab=failures")
    check(pages.browser.evaluate("document.querySelector('.count').textContent") == "No task failed.", "failures")
    pages.check_clean("failures")
    pages.open("/jobs/1?tab=figures")
    check(pages.cells()[0][1:4] != pages.cells()[1][1:4] and "simulated" in pages.cells()[0][-1], pages.cells()[:2])
    pages.check_clean("figures")


def hold_request(pages, part, failing=False):
    """Holds back the first request whose address has `part`.

    `release()` on the page sends it, or lets it fail. `window.used` has the addresses of later
    requests whose answers the page has used; that of the request held back is "held".
    """
    pages.browser.evaluate("""(() => {
        const fetchNow = window.fetch;
        const gate = new Promise(done => { window.release = done; });
        let isFirst = true;
        window.used = [];
        window.isHeld = false;
        const use = address => setTimeout(() => { window.used.push(address); }, 0); // after the page
        window.fetch = async (...all) => {
            const isHeld = isFirst && all[0].includes(%s), address = isHeld ? 'held' : all[0];
            if (isHeld) {
                isFirst = false;
                window.isHeld = true;
                await gate;
                if (%s) {
                    use(address);
                    throw new TypeError('fails for the test');
                }
            }
            const answer = await fetchNow(...all), json = answer.json.bind(answer);
            answer.json = async () => {
                const body = await json();
                use(address);
                return body;
            };
            return answer;
        };
    })()""" % (json.dumps(part), json.dumps(failing)))


def use_late_answers(pages, older, newer, shown, last=""):
    """Sends a request, whose answer is held back, and a newer one, and compares what is shown.

    A request is an action and a part of the address that this action alone requests. `last` is
    the address that the page requests before it draws an answer.
    """
    before = pages.browser.evaluate(shown)
    hold_request(pages, older[1])
    older[0]()
    pages.browser.wait_for("isHeld")
    newer[0]()
    pages.browser.wait_for(f"used.some(address => address.includes({newer[1]!r}))")
    check(pages.browser.evaluate(shown) == before, "the newer answer", before)
    pages.browser.evaluate("release()")
    pages.browser.wait_for("used.includes('held')")
    if last: # the answer to the test comes after that to the page
        pages.browser.evaluate(f"fetch({last!r}).then(answer => answer.json()).then(() => 0)")
    check(pages.browser.evaluate(shown) == before, "the late answer was drawn", before)


def turn_there_and_back(pages, older, newer):
    """From a page that is not the first, whose buttons are both enabled."""
    use_late_answers(pages, (lambda: pages.press("n"), older), (lambda: pages.press("p"), newer),
                     CELLS + " + document.querySelector('.count').textContent")


def use_other_pages(pages):
    pages.open("/jobs/1/points/3")
    check(pages.browser.evaluate("document.querySelector('h1').textContent") == "Point 3simulated", "the heading")
    check("duration_us" in pages.browser.evaluate("document.getElementById('counters').textContent"), "counters")
    files = pages.browser.evaluate("[...document.querySelectorAll('#files tbody tr')].map(row => row.cells[0].textContent)")
    check(files == [f"p3/r{repeat}/node-0/device0/matmul_kernel/0/visualize_data.bin: missing" for repeat in (0, 1)], files)
    pages.check_clean("point")
    pages.open("/cards")
    check(len(pages.cells()) == 16 and pages.cells()[13][:2] == ["node-1", "5"], pages.cells())
    pages.check_clean("cards")
    pages.open("/cards/node-1/5")
    check(len(pages.cells()) == 101, len(pages.cells())) # a row of the history, a page of ranks
    pages.browser.wait_for("document.querySelector('#history-plot circle')")
    slow = pages.browser.evaluate("[...document.querySelectorAll('#history tbody td')].map(cell => cell.textContent)[4]")
    check(5 < float(slow.split()[0]) < 7, slow) # report_store makes this card 6 % slower
    pages.check_clean("card")
    pages.open("/fleet") # a store has no workers, which is no error
    check("store, which has no workers" in pages.browser.evaluate("document.querySelector('.hint').textContent"), "fleet")
    pages.check_clean("fleet")
    pages.open("/jobs/1?tab=files", "/jobs/1")
    check(len(pages.cells()) == 200 and pages.cells()[0][:2] == ["p0/r0/node-0/device0/matmul_kernel/0/visualize_data.bin: missing", "MindStudio Insight"], pages.cells()[0])
    first = pages.cells()
    pages.press("n")
    pages.browser.wait_for("document.querySelector('.count').textContent.startsWith('files 201 to ')")
    check(pages.cells() != first and "files.after=200" in pages.browser.evaluate("location.search"), "the second page of files")
    turn_there_and_back(pages, "after=400", "after=200")
    pages.check_clean("files")
    pages.press("?")
    pages.browser.wait_for("document.querySelector('dialog[open]')?.textContent.includes('next page')")
    pages.shoot("keys")
    pages.click("dialog button")
    pages.browser.wait_for("!document.querySelector('dialog[open]')")
    pages.open("/jobs/77")
    check("77" in pages.browser.evaluate("document.querySelector('.error').textContent"), "a job that does not exist")


def use_trace(pages):
    """Zoom, search, one slice, and the same window in another tab."""
    document, lanes, _ = serve_trace.make_trace(1)
    serve_trace.write(serve_trace.NAMES[0], json.dumps(document))
    del document["muster"] # as in the trace of one rank, which does not state where it comes from
    serve_trace.write(serve_trace.NAMES[1], json.dumps(document))
    serve_trace.register()
    pages.open("/jobs/1/points/5")
    pages.click("#files a[href^='/jobs/1/traces/']")
    pages.browser.wait_for("document.querySelector('canvas')?.dataset.window")
    facts = pages.browser.evaluate("document.querySelector('dl').textContent")
    check("uncertain by 1.25 us" in facts and "2.5 us apart" in facts and "in 12 lanes" in facts, facts)
    window = pages.browser.evaluate("document.querySelector('canvas').dataset.window")
    check(int(pages.browser.evaluate("document.querySelector('canvas').dataset.slices")) > 5000, "slices")
    pages.browser.evaluate("document.querySelector('canvas').focus()")
    pages.press("w")
    pages.browser.wait_for(f"document.querySelector('canvas').dataset.window !== {window!r}")
    pages.press("0")
    pages.browser.wait_for(f"document.querySelector('canvas').dataset.window.split(' ')[1] >= {window.split()[1]}")
    pages.browser.evaluate("""(() => {
        const input = document.querySelector('input[type=search]');
        input.value = 'OP33';
        input.dispatchEvent(new Event('input'));
    })()""")
    named = [entry for slices in lanes.values() for entry in slices if entry[2] == "op33"]
    pages.browser.wait_for(f"document.querySelector('.count').textContent === '{len(named)} slices'")
    pages.press("n")
    pages.browser.wait_for("document.querySelector('h2')?.textContent === 'op33'")
    pages.browser.wait_for(f"document.querySelector('canvas').dataset.window.split(' ')[1] < {int(window.split()[1]) // 2}")
    address = pages.browser.evaluate("location.pathname + location.search")
    check("name=OP33" in address and "slice=" in address and "start=" in address, address)
    text = pages.browser.evaluate("[...document.querySelectorAll('dl')].pop().textContent")
    pages.check_clean("trace")
    window = pages.browser.evaluate("document.querySelector('canvas').dataset.window")
    pages.open(address, address.split("?")[0])
    check(pages.browser.evaluate("document.querySelector('canvas').dataset.window") == window, window)
    check(pages.browser.evaluate("[...document.querySelectorAll('dl')].pop().textContent") == text, text)
    pages.browser.set_media("dark")
    pages.check_clean("dark-trace")
    pages.browser.set_media("light")
    pages.open("/jobs/1/points/5")
    pages.browser.evaluate("[...document.querySelectorAll('#files tr')].find(row => row.textContent.includes('other/0.json')).querySelector(\"a[href*='/traces/']\").click()")
    pages.browser.wait_for("document.querySelector('canvas')?.dataset.window")
    check(pages.browser.evaluate("document.querySelector('h1').textContent") == "Timelinesimulated", "the heading of a trace of one rank")


def add_event(out):
    database = sqlite3.connect(os.path.join(out, "store", "muster.db"))
    database.execute("INSERT INTO events(wall_ms, kind, job_id, task_id, run_id, text)"
                     " VALUES(1000, 'job.ended', 1, 0, 0, '<b>news</b>')")
    database.commit()
    database.close()


def see_changes(pages, out):
    """A new event is on the page without a reload; a server that ends and starts again, too."""
    pages.open("/events")
    check(pages.cells() == [], pages.cells())
    add_event(out)
    pages.browser.wait_for(f"({CELLS}).length === 1")
    check(pages.cells()[0][2:] == ["job.ended", "1", "<b>news</b>"], pages.cells())
    pages.check_clean("events")


def survive_a_restart(pages, out):
    pages.open("/cards")
    pages.browser.wait_for("document.getElementById('live').textContent === 'live'")
    check(pages.server.stop() == (0, ""), "the end of the server")
    pages.browser.wait_for("document.getElementById('live').textContent === 'no connection'")
    pages.server = Server("--out", out, "--listen", pages.server.host)
    pages.browser.wait_for("document.getElementById('live').textContent === 'live'")


def look_dark(pages):
    light = pages.browser.evaluate("getComputedStyle(document.body).backgroundColor")
    pages.browser.set_media("dark")
    check(pages.browser.evaluate("getComputedStyle(document.body).backgroundColor") != light, "dark mode")
    for name, path in (("map", "/jobs/1"), ("point", "/jobs/1/points/3")):
        pages.open(path)
        pages.check_clean("dark-" + name)
    pages.browser.set_media("light")


def show_hostile_names(browser, out):
    server = Server("--out", out)
    pages = Pages(browser, server)
    for path in ("/jobs/1", "/jobs/1/points/0"):
        pages.open(path)
        pages.check_clean("hostile")
        check(browser.evaluate("typeof hacked") == "undefined", path)
    check(server.stop() == (0, ""), "the end")


def open_a_failing_page(pages):
    """From another page, and holds back the request that fails."""
    pages.open("/cards")
    hold_request(pages, "job_key=", failing=True) # the search for an earlier job of this name
    pages.browser.evaluate("""(() => {
        const opener = document.createElement('a');
        opener.href = '/jobs/3?tab=compare';
        document.body.append(opener);
        opener.click();
    })()""")
    pages.browser.wait_for("isHeld")


def keep_a_filled_page(pages, out):
    """An error of the first fill is not drawn over the page that a change filled meanwhile."""
    open_a_failing_page(pages)
    pages.browser.wait_for("document.getElementById('live').textContent === 'live'")
    add_event(out)
    pages.browser.wait_for("document.querySelector('.hint')?.textContent.includes('names no base')")
    pages.browser.evaluate("release()")
    pages.browser.wait_for("used.includes('held')")
    check(pages.browser.evaluate("!document.querySelector('main .error') && document.querySelector('.hint') !== null"),
          "the late error was drawn")


def leave_a_failing_page(pages):
    """An error of a page that was left is not drawn over the next page."""
    open_a_failing_page(pages)
    pages.browser.evaluate("history.back()")
    pages.browser.wait_for("document.title === 'Cards - muster' && document.querySelector('main .rows')")
    pages.browser.evaluate("release()")
    pages.browser.wait_for("used.includes('held')")
    check(pages.browser.evaluate("document.querySelector('main .error') === null && document.querySelector('h1').textContent")
          == "Cards", "the page after the one that failed")


def recover_from_an_error(pages, out):
    """After an error, the next change of the rows brings the page back."""
    pages.open("/jobs/3?tab=compare", "/jobs/3")
    pages.browser.wait_for("document.getElementById('live').textContent === 'live'")
    pages.browser.evaluate("""(() => {
        const fetchNow = window.fetch;
        window.isFailing = true;
        window.fetch = async (...all) => {
            if (window.isFailing && all[0].includes('job_key=')) throw new TypeError('fails for the test');
            return fetchNow(...all);
        };
    })()""")
    add_event(out)
    pages.browser.wait_for("document.querySelector('main .error')")
    pages.browser.evaluate("window.isFailing = false")
    add_event(out)
    pages.browser.wait_for("!document.querySelector('main .error') && document.querySelector('.hint')")
    check("names no base" in pages.browser.evaluate("document.querySelector('.hint').textContent"), "the page after an error")


def show_verdicts(browser, out):
    """Two nights compared, the gate, the trend, and the output of a failed task."""
    pages = Pages(browser, Server("--out", out))
    pages.open("/jobs/2?tab=compare", "/jobs/2")
    check([row[0] for row in pages.cells()] == ["inconclusive"] * 2 and "2 inconclusive" in
          browser.evaluate("document.querySelector('main p[role=status]').textContent"), pages.cells())
    browser.evaluate("document.querySelector('input[name=metric]').value = '*'")
    pages.click("form button")
    browser.wait_for("document.querySelectorAll('main table.rows tbody tr').length > 10")
    check("metric=*" in browser.evaluate("location.search"), "the address")
    check(browser.evaluate("document.querySelectorAll('td svg .range').length") > 0, "the intervals")
    browser.evaluate("document.querySelector('input[name=base]').focus()")
    browser.wait_for("[...document.querySelectorAll('datalist option')].some(option => option.value === 'night-1')")
    pages.check_clean("compare")
    pages.open("/jobs/2?tab=compare&base=nothing", "/jobs/2")
    check("'nothing'" in browser.evaluate("document.querySelector('main .error').textContent"), "a base that does not exist")
    for tab in ("compare", "gate"): # the job file of job 3 names no base: a hint, no error
        pages.open(f"/jobs/3?tab={tab}", "/jobs/3")
        check("names no base" in browser.evaluate("document.querySelector('.hint').textContent"), tab)
        pages.check_clean("no-base-" + tab)
    leave_a_failing_page(pages)
    keep_a_filled_page(pages, out)
    recover_from_an_error(pages, out)
    pages.open("/jobs/2?tab=gate", "/jobs/2")
    check(browser.evaluate("document.querySelector('#gate').textContent") == "undecided", "the gate")
    check("night-2 against night-1" in browser.evaluate("document.querySelector('main pre').textContent"), "its words")
    pages.check_clean("gate")
    pages.open("/trend")
    check([row[0] for row in pages.cells()] == ["n=524288", "n=1048576"] and all(row[1:3] == ["add_custom", "0"] and row[8] == "2" for row in pages.cells()), pages.cells())
    titles = "[...document.querySelectorAll('#series-plot circle title')].map(title => title.textContent.split(' ')[0])"
    check(browser.evaluate(titles) == ["night-1:", "night-2:"] and len(browser.evaluate("[...document.querySelectorAll('td svg')].map(() => 1)")) == 2, "the plot")
    browser.evaluate("document.querySelectorAll('main tbody td button')[1].click()")
    check("n=1048576" in browser.evaluate("document.querySelector('main h2').textContent") and "series=" in browser.evaluate("location.search"), "another series")
    pages.check_clean("trend")
    pages.open("/jobs/3?tab=failures", "/jobs/3")
    pages.click("main td button")
    browser.wait_for("document.querySelector('#output')")
    lines = "first <b>line</b>\nsecond"
    check(browser.evaluate("document.querySelector('#output').textContent") == lines, "the output")
    address = browser.evaluate("location.pathname + location.search")
    check("output=0.0" in address, address)
    pages.open(address, "/jobs/3")
    check(browser.evaluate("document.querySelector('#output').textContent") == lines, "the output at its own address")
    pages.check_clean("output")
    pages.leave()
    check(pages.server.stop() == (0, ""), "the end")


def use_pages(browser, out):
    pages = Pages(browser, Server("--out", out))
    use_jobs(pages)
    use_map(pages, out)
    use_tables(pages)
    use_other_pages(pages)
    see_changes(pages, out)
    look_dark(pages)
    survive_a_restart(pages, out)
    pages.leave()
    check(pages.server.stop()[0] == 0, "the end")


def use_further_pages(browser, out, hostile, nights):
    pages = Pages(browser, Server("--out", out))
    use_trace(pages)
    pages.leave()
    check(pages.server.stop() == (0, ""), "the end")
    show_hostile_names(browser, hostile)
    show_verdicts(browser, nights)


def main(out, *further):
    browser = Browser()
    try:
        browser.resize(1300)
        if further:
            use_further_pages(browser, out, *further)
        else:
            use_pages(browser, out)
    finally:
        browser.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
