#!/usr/bin/env python3
"""serve_live.py - see serve_live.sh, which ends and starts the coordinator when the files
ask.stop and ask.start exist"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from browser import Browser # noqa: E402
from server import Server # noqa: E402

COUNTS = "[...document.querySelectorAll('dd')].map(dd => dd.textContent).find(text => text.includes('done,'))"
PROGRESS = "document.querySelector('main tbody td:nth-child(3)')?.textContent.trim()"


def check(condition, *what):
    if not condition:
        raise AssertionError(*what)


def touch(name):
    with open(name, "w"):
        pass


def main():
    server = Server("--coordinator", os.environ["MUSTER_COORDINATOR"])
    address = f"http://{server.host}"
    browser = Browser()
    try:
        job = browser.session
        browser.open(address + "/jobs/1")
        jobs = browser.open_tab()
        browser.open(address + "/")

        def in_tab(tab, condition):
            browser.use_tab(tab)
            browser.wait_for(condition)

        def see(done, failed):
            """Both tabs have the counts, without being loaded again."""
            in_tab(job, f"({COUNTS})?.startsWith('{done} done, {failed} failed')")
            in_tab(jobs, f"{PROGRESS} === '{done + failed}/4'")

        see(0, 0)
        for tab in (job, jobs):
            browser.use_tab(tab)
            browser.evaluate("window.stays = true")
        touch("go.1")
        see(1, 0)
        touch("go.2")
        see(2, 0)
        touch("ask.stop")
        for tab in (job, jobs):
            in_tab(tab, "document.querySelector('main .error')")
        check("coordinator" in browser.evaluate("document.querySelector('main .error').textContent"), "the words")
        browser.use_tab(job) # the last known state stays on the page
        check(browser.evaluate(f"({COUNTS})?.startsWith('2 done, 0 failed')"), "the state while the coordinator is away")
        touch("ask.start")
        for tab in (job, jobs):
            in_tab(tab, "!document.querySelector('main .error')")
        touch("go.3")
        see(2, 1)
        touch("go.4")
        see(3, 1)
        in_tab(job, "document.querySelector('h1 .state').textContent === 'failed'")
        for tab in (job, jobs):
            browser.use_tab(tab)
            check(browser.evaluate("window.stays"), "the page was loaded again")
        # the output of the failed task, through the coordinator
        browser.use_tab(job)
        browser.open(address + "/jobs/1?tab=failures&output=0.2")
        in_tab(job, "document.querySelector('#output')?.textContent === 'step 3'")
        browser.open(address + "/fleet")
        in_tab(job, "document.querySelectorAll('#hosts tbody tr').length === 1 && document.querySelector('#queue')")
        check(browser.complaints() == [], browser.complaints())
    finally:
        browser.close()
    check(server.stop() == (0, ""), "the end")


if __name__ == "__main__":
    main()
