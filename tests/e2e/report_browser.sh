#!/usr/bin/env bash
# report_browser.sh - the report of 64 cards and 200 points in headless Chromium: tables sort,
# filter and fold, plots have tooltips, two widths, light and dark, the printed page
#
# deploy/setup.sh does not install Chromium, because it has about 100 MB and only this test
# needs it.
. "$(dirname "$0")/fleet.sh"
cd "$work"
command -v chromium >/dev/null || command -v chromium-browser >/dev/null || {
    echo 'SKIPPED: there is no chromium; to run it: deploy/setup.sh --all'
    exit 77
}

"$B/tests/report_store" huge/store 200 64 1
"$B/tests/report_store" hostile/store 3 2 2 hostile
for name in huge hostile; do
    muster report --out "$name" 1 >/dev/null || fail "$name: muster report: exit $?"
done
"$root/tests/e2e/report_browser.py" huge/report-1/report.html hostile/report-1/report.html ||
    fail 'the browser does not show the page as expected'
